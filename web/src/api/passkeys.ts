/**
 * A person's own passkeys: registered here, and asked for where an approval needs one. The library of the
 * browser's part is loaded when it is used.
 */
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { type PasskeyChallenge, passkeyAlgorithms } from '../../../contract/passkey.ts';
import { productName } from '../../../contract/product-name.ts';
import { api, call } from './client.ts';
import { ApiFailure, isTransient } from './failure.ts';
import { keys } from './keys.ts';
import type { Grant, GrantInput, User } from './types.ts';

/** The person's own, and why this browser can make and use none at this address. */
export function usePasskeys({ enabled = true } = {}) {
  return useQuery({
    queryKey: keys.passkeys,
    enabled,
    queryFn: ({ signal }) => call(api.GET('/api/me/passkeys', { signal })),
  });
}

const loadLibrary = () => import('@simplewebauthn/browser');

/** Has the browser make a passkey, and registers it. */
export async function registerPasskey(user: User, name: string): Promise<void> {
  const asked = await call(api.POST('/api/me/passkey-challenges'));
  const { startRegistration } = await loadLibrary();
  const { id, response } = await inBrowser(asked, () =>
    startRegistration({
      optionsJSON: {
        challenge: asked.challenge,
        rp: { id: asked.rp_id, name: productName },
        user: { id: base64urlOf(user.id), name: user.email, displayName: user.name },
        pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        attestation: 'none',
        excludeCredentials: credentialsOf(asked),
      },
    }),
  );
  const body = {
    challenge_id: asked.challenge_id,
    name,
    credential_id: id,
    client_data_json: response.clientDataJSON,
    attestation_object: response.attestationObject,
    transports: response.transports ?? [],
  };
  await call(api.POST('/api/me/passkeys', { body }));
}

type Answer = NonNullable<GrantInput['passkey']>;

/** Whether the device may open its question now. */
type MayAsk = () => boolean;

async function askForAnswer(slug: string, body: GrantInput, mayAsk: MayAsk): Promise<Answer> {
  const params = { path: { slug } };
  const asked = await call(api.POST('/api/workspaces/{slug}/grant-challenges', { params, body }));
  const { startAuthentication } = await loadLibrary();
  requireMayAsk(mayAsk);
  const { id, response } = await inBrowser(asked, () =>
    startAuthentication({
      optionsJSON: {
        challenge: asked.challenge,
        rpId: asked.rp_id,
        userVerification: 'required',
        allowCredentials: credentialsOf(asked),
      },
    }),
  );
  return {
    challenge_id: asked.challenge_id,
    credential_id: id,
    client_data_json: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
  };
}

interface Sending {
  /** As `useIdempotencyKey` makes it. */
  header: { 'Idempotency-Key': string };
  /** Whether an answer is known to be needed: nothing is sent without one then. */
  isNeeded?: boolean;
  mayAsk?: MayAsk;
}

/**
 * The one way in which pages create a grant: with the answer of one of the person's passkeys where the
 * platform asks for it. What is sent again because no answer came is sent with the same one, and with another
 * one where that was used up meanwhile.
 */
export function useSendGrant(slug: string) {
  const kept = useRef<{ text: string; answer: Answer } | null>(null);
  return async (
    asked: GrantInput,
    { header, isNeeded = false, mayAsk = () => true }: Sending,
  ): Promise<{ grant: Grant }> => {
    const text = JSON.stringify(asked);
    const params = { path: { slug }, header };
    const send = async (answer: Answer | null) => {
      kept.current = answer === null ? null : { text, answer };
      const body = answer === null ? asked : { ...asked, passkey: answer };
      try {
        const made = await call(api.POST('/api/workspaces/{slug}/grants', { params, body }));
        kept.current = null;
        return made;
      } catch (error) {
        if (!isTransient(error)) {
          kept.current = null;
        }
        throw error;
      }
    };
    const known = kept.current?.text === text ? kept.current.answer : null;
    if (known !== null || !isNeeded) {
      try {
        return await send(known);
      } catch (error) {
        if (!(error instanceof ApiFailure && error.code === 'passkey_required' && mayAsk())) {
          throw error;
        }
      }
    }
    requireMayAsk(mayAsk);
    return send(await askForAnswer(slug, asked, mayAsk).catch(asFinal));
  };
}

function requireMayAsk(mayAsk: MayAsk): void {
  if (!mayAsk()) {
    throw notUsed('The passkey was not asked for: press the button again.');
  }
}

/** Nothing is tried again by itself after which the device would ask again. */
function asFinal(error: unknown): never {
  throw isTransient(error) && error instanceof Error ? notUsed(error.message) : error;
}

/** Runs the browser's part. Throws an ApiFailure that says why it did not answer. */
async function inBrowser<Result>({ rp_id: domain }: PasskeyChallenge, run: () => Promise<Result>) {
  const here = window.location.hostname;
  if (here !== domain) {
    throw notUsed(`Passkeys are of ${domain}, and this page is at ${here}: open the platform at ${domain}.`);
  }
  try {
    return await run();
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    throw notUsed(
      reasons[name] ?? 'The browser gave no passkey: it was cancelled, or took too long. Try again.',
    );
  }
}

/** Why a browser gives none, by the name of its error. */
const reasons: Record<string, string> = {
  InvalidStateError: 'This device has a passkey of yours already.',
  NotSupportedError: 'This browser or device cannot make or use passkeys of the kinds that are taken.',
  SecurityError: 'The browser allows no passkeys on this page: open the platform at its own address.',
};

const notUsed = (message: string) => new ApiFailure(message, { status: 400, code: 'passkey_not_used' });

const credentialsOf = ({ credentials }: PasskeyChallenge) =>
  credentials.map(({ credential_id: id, transports }) => ({
    id,
    type: 'public-key' as const,
    transports: transports.flatMap((name) => knownTransports.find((known) => known === name) ?? []),
  }));

const knownTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

const base64urlOf = (text: string) => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
