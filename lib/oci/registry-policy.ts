/** Which registries the platform's operator trusts beyond the defaults (docs/decisions/0011). */
import type { ImageReference } from './reference.ts';

export interface RegistryPolicy {
  /** By `host` of a URL: registries and token servers that may have a private address, and whether they speak plain HTTP. */
  private: ReadonlyMap<string, 'https' | 'http'>;
  /** By registry (`host:port` as in references): token servers' hosts that its credentials may be sent to, beside itself. */
  realms: ReadonlyMap<string, readonly string[]>;
}

export const publicRegistriesOnly: RegistryPolicy = { private: new Map(), realms: new Map() };

/** Registries whose documented token server has another host. */
const knownRealms: Readonly<Record<string, readonly string[]>> = {
  'docker.io': ['auth.docker.io'],
  'registry.gitlab.com': ['gitlab.com'],
};

/** The URL of the registry's API. */
export function registryUrl({ registry }: ImageReference, policy: RegistryPolicy): URL {
  const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
  const plain = new URL(`http://${host}/`);
  return allowsHttp(policy, plain) ? plain : new URL(`https://${host}/`);
}

/** Whether plain HTTP is allowed for this host. */
export function allowsHttp(policy: RegistryPolicy, url: URL): boolean {
  return policy.private.get(url.host) === 'http';
}

/** Whether this host may have a private address. */
export function allowsPrivate(policy: RegistryPolicy, url: URL): boolean {
  return policy.private.has(url.host);
}

/**
 * Whether the registry's credentials may be sent to this token server: the registry itself or one configured for it.
 * The registry alone decides what its challenge says, so the challenge cannot add a host.
 */
export function mayReceiveCredentials(
  policy: RegistryPolicy,
  registry: string,
  realm: URL,
  own: URL,
): boolean {
  const named = [...(knownRealms[registry] ?? []), ...(policy.realms.get(registry) ?? [])];
  return realm.origin === own.origin || named.includes(realm.host);
}
