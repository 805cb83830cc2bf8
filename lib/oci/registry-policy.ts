/** Which registries the platform's operator trusts beyond the defaults (docs/decisions/0011). */
import { allowsHttp, type OutboundPolicy } from '../outbound/policy.ts';
import type { OutboundContext } from '../outbound/send.ts';
import type { ImageReference } from './reference.ts';

/** Which hosts may have a private address, by `host` of a URL: registries and token servers. */
export interface RegistryPolicy extends OutboundPolicy {
  /**
   * By registry (`host:port` as in references): token servers' hosts that its credentials may
   * be sent to, beside itself.
   */
  realms: ReadonlyMap<string, readonly string[]>;
}

/** What requests to a registry are made with. */
export interface RegistryContext extends OutboundContext {
  policy: RegistryPolicy;
}

/** The policy of settings of the API and the worker: `PRIVATE_REGISTRIES` and `REGISTRY_REALMS`. */
export const registryPolicy = (
  privateHosts: RegistryPolicy['privateHosts'],
  realms: RegistryPolicy['realms'],
): RegistryPolicy => ({ privateHosts, realms, setting: 'PRIVATE_REGISTRIES of the API and the worker' });

export const publicRegistriesOnly = registryPolicy(new Map(), new Map());

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

/**
 * Whether the registry's credentials may be sent to this token server: the registry itself or one configured
 * for it. The registry alone decides what its challenge says, so the challenge cannot add a host.
 */
export function mayReceiveCredentials(
  policy: RegistryPolicy,
  registry: string,
  realm: URL,
  own: URL,
): boolean {
  const { host } = new URL(`https://${registry}`);
  const named = [...(knownRealms[registry] ?? []), ...(policy.realms.get(host) ?? [])];
  return realm.origin === own.origin || named.includes(realm.host);
}
