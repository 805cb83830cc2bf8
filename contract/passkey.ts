/** Passkeys of people, and what their browsers answer (docs/grants.md#approving-with-a-passkey). */
import * as z from 'zod';
import { timestamp, uuid } from './names.ts';
import { shownName } from './shown-name.ts';

/** Bytes as browsers write them. */
const base64url = (maxCharacters: number) =>
  z
    .string()
    .min(1)
    .max(maxCharacters)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');

const credentialId = base64url(1400);
const transports = z.array(z.string().max(32)).max(10);

/** Proof that the holder of a passkey, verified by their device, answered one challenge. */
export const passkeyAssertion = z.strictObject({
  credential_id: credentialId,
  client_data_json: base64url(8192),
  authenticator_data: base64url(8192),
  signature: base64url(8192),
});
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>;

/** As the API signs it: `begun_at` is when its challenge began, which the challenge is of, too. */
export type DatedAssertion = PasskeyAssertion & { begun_at: string };

/** With the grant that it approves: `challenge_id` is of `POST /grant-challenges`. */
export const passkeyAnswer = passkeyAssertion.extend({ challenge_id: uuid });
export type PasskeyAnswer = z.infer<typeof passkeyAnswer>;

/** A passkey that a browser made. */
export const newPasskey = z.strictObject({
  challenge_id: uuid,
  name: shownName,
  credential_id: credentialId,
  client_data_json: base64url(8192),
  attestation_object: base64url(65_536),
  transports: transports.default([]),
});
export type NewPasskey = z.infer<typeof newPasskey>;

export const passkey = z.strictObject({
  id: uuid,
  name: z.string(),
  /** The address of the platform at which it was registered: it approves nothing at another one. */
  origin: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
});
export type Passkey = z.infer<typeof passkey>;

/** What a grant was approved with, as the audit trail has it: it may be renamed or removed later. */
export type UsedPasskey = Pick<Passkey, 'id' | 'name'>;

/** A credential as browsers know it. */
export const passkeyCredential = z.strictObject({ credential_id: credentialId, transports });
export type PasskeyCredential = z.infer<typeof passkeyCredential>;

/** What a browser has to sign, with one of the credentials. */
export const passkeyChallenge = z.strictObject({
  challenge_id: uuid,
  challenge: base64url(100),
  rp_id: z.string(),
  expires_at: timestamp,
  credentials: z.array(passkeyCredential),
});
export type PasskeyChallenge = z.infer<typeof passkeyChallenge>;

/** Of one person. */
export const maxPasskeys = 20;
/** Within it a browser answers. */
export const passkeyChallengeSeconds = 5 * 60;
/**
 * A sign-in in which the person proved who they are is fresh for so long: afterwards no passkey is added,
 * renamed or removed, and no need for one ended.
 */
export const freshSignInSeconds = 10 * 60;

/** ES256, EdDSA, RS256: what authenticators have. */
export const passkeyAlgorithms = [-7, -8, -257];

/** An address of the platform where browsers allow passkeys, or why they do not. */
export type PasskeyPlace = { origin: string } | { reason: string };

export const whyNone = (place: PasskeyPlace): string | null => ('reason' in place ? place.reason : null);

/**
 * Whether browsers allow passkeys at the platform's origin; null: it knows of none. They need a name, since a
 * passkey is of a name, and a connection that nobody else can read or change.
 */
export function passkeyPlace(origin: string | null): PasskeyPlace {
  if (origin === null) {
    return { reason: 'The platform does not know its own address: its operator sets PUBLIC_URL' };
  }
  const reason = whyNot(origin);
  return reason === null ? { origin } : { reason };
}

function whyNot(origin: string): string | null {
  const { protocol, hostname } = new URL(origin);
  if (hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname)) {
    return `Browsers allow no passkeys at an IP address such as ${hostname}: open the platform by its name (on its own machine: localhost)`;
  }
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return protocol === 'https:' || isLocal
    ? null
    : `Browsers allow no passkeys at ${origin}, since it is not https: open the platform by https`;
}

/** The name that passkeys of an address are of. */
export const passkeyDomain = (origin: string): string => new URL(origin).hostname;
