/**
 * The API's signature under a human's approval; only the activity that writes grants trusts it,
 * and trusts nothing else.
 */
import { CompactSign, type CryptoKey, importPKCS8 } from 'jose';
import { type ApprovalClaims, approvalClaims } from '../../contract/approval.ts';

/** A human's click is carried out at once; a signature older than this is invalid. */
const lifetimeSeconds = 5 * 60;

/** `passkey`: the answer of the person's passkey to this grant. */
export type SignApproval = (
  decisionId: string,
  grant: ApprovalClaims['grant'],
  passkey?: ApprovalClaims['passkey'],
) => Promise<string>;

/** Takes the private key as PKCS#8 PEM. Throws when it is not an Ed25519 key. */
export async function createSignApproval(privateKeyPem: string): Promise<SignApproval> {
  const key: CryptoKey = await importPKCS8(privateKeyPem, 'EdDSA');
  return async (decisionId, grant, passkey = null) => {
    const issuedAt = Math.floor(Date.now() / 1000);
    const claims = approvalClaims.parse({
      aud: 'platform-approval',
      jti: decisionId,
      iat: issuedAt,
      exp: issuedAt + lifetimeSeconds,
      grant,
      passkey,
    });
    return new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'EdDSA' })
      .sign(key);
  };
}
