/**
 * Answers a registry's challenge. Credentials go over a guarded connection to the registry or to a token
 * server configured for it.
 */
import * as z from 'zod';
import { parseChallenges } from '../outbound/challenge.ts';
import { parseUrl } from '../outbound/parse-url.ts';
import { get, readResponseBody } from '../outbound/send.ts';
import { ImageError } from './errors.ts';
import type { ImageLimits } from './limits.ts';
import type { ImageReference } from './reference.ts';
import { mayReceiveCredentials, type RegistryContext, registryUrl } from './registry-policy.ts';

export interface RegistryCredentials {
  user: string;
  password: string;
}

const headerSafe = z
  .string()
  .max(64 * 1024)
  .regex(/^[\x21-\x7e]+$/);
const tokenAnswer = z.object({ token: headerSafe.optional(), access_token: headerSafe.optional() });

/** The `Authorization` header for the registry. Throws ImageError `unauthorized` or `realm_refused`. */
export async function authorize(
  context: RegistryContext,
  limits: ImageLimits,
  reference: ImageReference,
  credentials: RegistryCredentials | null,
  header: string | undefined,
): Promise<string> {
  const challenges = parseChallenges(header);
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  if (bearer !== undefined) {
    const token = await requestToken(context, limits, reference, credentials, bearer.parameters);
    return `Bearer ${token}`;
  }
  if (!challenges.some(({ scheme }) => scheme === 'basic')) {
    throw refused(reference, 'asks for a way to sign in that is not known here');
  }
  if (credentials === null) {
    throw refused(
      reference,
      'asks for credentials; set registry_secret to ${NAME} of a secret with user:password',
    );
  }
  return basic(credentials);
}

async function requestToken(
  context: RegistryContext,
  limits: ImageLimits,
  reference: ImageReference,
  credentials: RegistryCredentials | null,
  parameters: ReadonlyMap<string, string>,
): Promise<string> {
  const realm = realmUrl(context, reference, credentials, parameters.get('realm'));
  const service = parameters.get('service');
  if (service !== undefined) {
    realm.searchParams.set('service', service);
  }
  // Never the challenge's own scope: a token is asked for reading this one repository and nothing else.
  realm.searchParams.set('scope', `repository:${reference.repository}:pull`);
  const headers = credentials === null ? {} : { authorization: basic(credentials) };
  const { status, body } = await get(context, realm, headers, 0);
  const text = await readResponseBody(body, limits.tokenAnswerBytes, `the answer of ${realm.host}`);
  if (status !== 200) {
    throw refused(
      reference,
      `${credentials === null ? 'gives no anonymous access' : 'refuses the credentials'} (${realm.host} answered ${status})`,
    );
  }
  const { token, access_token } = parseToken(text) ?? {};
  const given = token ?? access_token;
  if (given === undefined) {
    throw new ImageError('invalid_response', `${realm.host} gave no usable token`);
  }
  return given;
}

function realmUrl(
  { policy }: RegistryContext,
  reference: ImageReference,
  credentials: RegistryCredentials | null,
  text: string | undefined,
): URL {
  const realm = text === undefined ? null : parseUrl(text);
  if (realm === null || realm.username !== '' || realm.password !== '') {
    throw new ImageError('invalid_response', `${reference.registry} names no usable token server`);
  }
  const own = registryUrl(reference, policy);
  if (credentials !== null && !mayReceiveCredentials(policy, reference.registry, realm, own)) {
    throw new ImageError(
      'realm_refused',
      `${reference.registry} wants its credentials sent to ${realm.host}, which is not named for it; REGISTRY_REALMS of the API names such hosts`,
    );
  }
  return realm;
}

function parseToken(text: Buffer): z.infer<typeof tokenAnswer> | null {
  try {
    return tokenAnswer.safeParse(JSON.parse(text.toString())).data ?? null;
  } catch {
    return null;
  }
}

function basic({ user, password }: RegistryCredentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function refused({ registry }: ImageReference, what: string): ImageError {
  return new ImageError('unauthorized', `${registry} ${what}`);
}
