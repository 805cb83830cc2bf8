/** How people sign in to a remote server, as a form holds it, and as the API takes it. Pure. */
import type { RemoteShape } from '../../../../contract/remote-server.ts';
import type { Manifest, Shape } from '../../api/types.ts';
import { headerPrefixProblem } from './header-prefix.ts';
import { manifestText, readManifest } from './manifest-text.ts';
import { labelOf } from './planned-variable.ts';
import { nameInReference, referenceTo } from './secret-reference.ts';

export interface HeaderRow {
  name: string;
  prefix: string;
  /** Of the manifest. */
  variable: string;
}

export interface RemoteValues {
  url: string;
  /**
   * `person`: each person signs in, or nobody does, as the server asks. `key`: everybody
   * uses a static credential.
   */
  signInWith: 'person' | 'key';
  clientId: string;
  /** The name of a secret; empty for none. */
  clientSecret: string;
  headers: HeaderRow[];
}

export const newRemote: RemoteValues = {
  url: '',
  signInWith: 'person',
  clientId: '',
  clientSecret: '',
  headers: [],
};

export function remoteValuesOf({ url, headers = [], client }: RemoteShape): RemoteValues {
  return {
    url,
    signInWith: headers.length > 0 ? 'key' : 'person',
    clientId: client?.client_id ?? '',
    clientSecret: nameInReference(client?.client_secret),
    headers: headers.map(({ name, prefix, variable }) => ({ name, prefix, variable })),
  };
}

/** Only what belongs to the chosen way of signing in is sent. */
export function remoteShapeOf({
  url,
  signInWith,
  clientId,
  clientSecret,
  headers,
}: RemoteValues): Extract<Shape, { type: 'remote' }> {
  const [id, secret] = [clientId.trim(), clientSecret.trim()];
  const client = {
    client_id: id,
    ...(secret === '' ? {} : { client_secret: referenceTo(secret) }),
  };
  return {
    type: 'remote',
    url: url.trim(),
    ...(signInWith === 'key'
      ? {
          headers: headers.map(({ name, prefix, variable }) => ({
            name: name.trim(),
            prefix,
            variable: variable.trim(),
          })),
        }
      : {}),
    ...(signInWith === 'person' && id + secret !== '' ? { client } : {}),
  };
}

/** Problems that only the form knows, by its fields. */
export function remoteProblems({
  signInWith,
  clientId,
  clientSecret,
  headers,
}: RemoteValues): Record<string, string> {
  if (signInWith === 'person') {
    return clientSecret.trim() !== '' && clientId.trim() === ''
      ? { clientId: 'is required with a client secret' }
      : {};
  }
  if (headers.length === 0) {
    return { headers: 'add at least one header, or choose the other way to sign in' };
  }
  return Object.fromEntries(
    headers.flatMap(({ name, prefix, variable }, at) => [
      ...problemAt(`headers.${at}.name`, name.trim() === '' ? 'is required' : null),
      ...problemAt(`headers.${at}.variable`, variable.trim() === '' ? 'is required' : null),
      ...problemAt(`headers.${at}.prefix`, headerPrefixProblem(prefix)),
    ]),
  );
}

const problemAt = (field: string, message: string | null): [string, string][] =>
  message === null ? [] : [[field, message]];

/** A header as most servers take a key, with the first secret of the manifest. */
export function newHeader(manifest: Manifest | null, others: readonly HeaderRow[]): HeaderRow {
  const taken = new Set(others.map(({ variable }) => variable));
  const [secret] = Object.entries(manifest?.env ?? {}).flatMap(([name, { kind }]) =>
    kind === 'secret' && !taken.has(name) ? [name] : [],
  );
  return others.length === 0
    ? { name: 'Authorization', prefix: 'Bearer ', variable: secret ?? 'API_TOKEN' }
    : { name: '', prefix: '', variable: secret ?? '' };
}

/** The manifest's text with this secret among its variables; null for a text that is no manifest. */
export function withSecretVariable(text: string, variable: string): string | null {
  const { manifest, problems } = readManifest(text);
  if (problems.length > 0) {
    return null;
  }
  const { env = {}, tool_scopes = {} } = manifest ?? {};
  const field = { kind: 'secret' as const, label: labelOf(variable), required: true };
  return manifestText({ env: { ...env, [variable]: field }, tool_scopes });
}
