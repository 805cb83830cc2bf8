/** The package registries, as the operator configured them, and how they are given to package managers. */

/** In the words of HTTP: `Bearer <token>`, or a user name and a password. */
export type RegistryCredential =
  | { type: 'token'; token: string }
  | { type: 'basic'; username: string; password: string };

export interface Registry {
  /** Ends with a slash. */
  url: URL;
  credential: RegistryCredential | null;
  /** Other hosts, or `host:port`, that it keeps its files at. They are sent no credential. */
  fileHosts: readonly string[];
}

/** Null: not known here. */
export interface Registries {
  npm: Registry | null;
  uv: Registry | null;
}

/** An operator's URL, as the base of relative ones. */
export function baseUrl(url: string): URL {
  return new URL(url.endsWith('/') ? url : `${url}/`);
}

/** `user:password` is sent as such; anything else as npm sends a token. */
export function npmCredential(token: string): RegistryCredential {
  return token.includes(':') ? userAndPassword(token) : { type: 'token', token };
}

/** `user:password`, or a token as Python's package indexes expect it. */
export function pypiCredential(token: string): RegistryCredential {
  return userAndPassword(token.includes(':') ? token : `__token__:${token}`);
}

function userAndPassword(text: string): RegistryCredential {
  const at = text.indexOf(':');
  return { type: 'basic', username: text.slice(0, at), password: text.slice(at + 1) };
}

/**
 * The variables that name the registry to a package manager, credential included. Each manager sends the
 * credential to this registry's own origin alone.
 */
export function registryVariables(manager: 'npm' | 'uv', registry: Registry): Record<string, string> {
  return manager === 'npm' ? npmVariables(registry) : uvVariables(registry);
}

/**
 * npm takes a file at another host than the registry's for a dependency on an address. That is refused where
 * the registry has no other host, and where it has one the way out is what leads nowhere else.
 */
function npmVariables({ url, credential, fileHosts }: Registry): Record<string, string> {
  const own = `npm_config_//${url.host}${url.pathname}`;
  return {
    npm_config_registry: url.href,
    npm_config_allow_remote: fileHosts.length === 0 ? 'none' : 'all',
    ...(credential?.type === 'token' ? { [`${own}:_authToken`]: credential.token } : {}),
    ...(credential?.type === 'basic' ? { [`${own}:_auth`]: basic(credential) } : {}),
  };
}

/** The index has a name, so that its credential is no part of its URL, which uv writes into what it makes. */
function uvVariables({ url, credential }: Registry): Record<string, string> {
  return {
    UV_DEFAULT_INDEX: `operator=${url.href}`,
    ...(credential?.type === 'basic'
      ? { UV_INDEX_OPERATOR_USERNAME: credential.username, UV_INDEX_OPERATOR_PASSWORD: credential.password }
      : {}),
  };
}

/** The text without the registry's credential, in any form in which a package manager has it. */
export function withoutCredential(text: string, { credential }: Registry): string {
  if (credential === null) {
    return text;
  }
  const secrets = credential.type === 'token' ? [credential.token] : [credential.password, basic(credential)];
  return secrets
    .flatMap((each) => [each, encodeURIComponent(each)])
    .reduce((clean, each) => clean.replaceAll(each, '***'), text);
}

const basic = ({ username, password }: { username: string; password: string }) =>
  Buffer.from(`${username}:${password}`).toString('base64');
