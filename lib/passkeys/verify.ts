/**
 * The one place where what an authenticator signed is believed. API and worker ask it, each with what it
 * expects itself.
 */
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import {
  type NewPasskey,
  type PasskeyAssertion,
  passkeyAlgorithms,
  passkeyDomain,
} from '../../contract/passkey.ts';

/** What is stored of a passkey. */
export interface PasskeyRecord {
  credential_id: string;
  publicKey: Uint8Array;
  signCount: number;
  /** The address at which it was registered. */
  origin: string;
}

/**
 * Returns how often the authenticator says that it has signed, or null for an answer that does not count: to
 * another challenge, from another address, by another key, of nobody that the device has verified, or with a
 * count that did not grow.
 */
export async function verifyAssertion(
  assertion: PasskeyAssertion,
  { challenge, passkey }: { challenge: string; passkey: PasskeyRecord },
): Promise<number | null> {
  if (assertion.credential_id !== passkey.credential_id || isFramed(assertion)) {
    return null;
  }
  try {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: {
        id: assertion.credential_id,
        rawId: assertion.credential_id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: assertion.client_data_json,
          authenticatorData: assertion.authenticator_data,
          signature: assertion.signature,
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: passkey.origin,
      expectedRPID: passkeyDomain(passkey.origin),
      expectedType: 'webauthn.get',
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: passkey.signCount,
      },
    });
    return verified && info.userVerified ? info.newCounter : null;
  } catch {
    return null;
  }
}

/** Whether a page of somebody else was around the one that asked, or nothing says that none was. */
function isFramed({ client_data_json: json }: Pick<PasskeyAssertion, 'client_data_json'>): boolean {
  try {
    const said: unknown = JSON.parse(Buffer.from(json, 'base64url').toString('utf8'));
    return typeof said !== 'object' || said === null || ('crossOrigin' in said && said.crossOrigin !== false);
  } catch {
    return true;
  }
}

/** The passkey that a browser made in answer to the challenge, or null. What made it is not asked. */
export async function verifyNewPasskey(
  made: NewPasskey,
  { challenge, origin }: { challenge: string; origin: string },
): Promise<PasskeyRecord | null> {
  if (isFramed(made)) {
    return null;
  }
  try {
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: {
        id: made.credential_id,
        rawId: made.credential_id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: made.client_data_json,
          attestationObject: made.attestation_object,
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: passkeyDomain(origin),
      expectedType: 'webauthn.create',
      requireUserVerification: true,
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    });
    return verified && info.fmt === 'none' && info.userVerified && info.credential.id === made.credential_id
      ? {
          credential_id: info.credential.id,
          publicKey: info.credential.publicKey,
          signCount: info.credential.counter,
          origin,
        }
      : null;
  } catch {
    return null;
  }
}
