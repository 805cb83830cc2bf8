/** Where a provider may be, and where it is asked. */
import type { FieldProblem } from '../../contract/errors.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import { refuseAddress } from '../../lib/outbound/guarded-lookup.ts';
import { parsePlainUrl } from '../../lib/outbound/parse-url.ts';
import { allowsHttp, type OutboundPolicy } from '../../lib/outbound/policy.ts';
import { namesUnder } from '../../lib/outbound/resolve-names.ts';
import { literalAddress } from '../../lib/outbound/special-ranges.ts';
import type { EmbeddingServers } from './ask-provider.ts';

/** Hosts of the internet, and those that the setting lists. */
export const embeddingPolicy = (privateHosts: OutboundPolicy['privateHosts']): OutboundPolicy => ({
  privateHosts,
  setting: 'PRIVATE_EMBEDDING_HOSTS of the API',
});

/** For providers of the internet, and those that `PRIVATE_EMBEDDING_HOSTS` lists. */
export const embeddingServersWith = (privateHosts: OutboundPolicy['privateHosts']): EmbeddingServers => ({
  policy: embeddingPolicy(privateHosts),
  resolveName: namesUnder({ privateHosts }),
});

/** The address below which `base` has its `/embeddings`; null for a text that is no such address. */
export function embeddingsUrl(base: string): URL | null {
  const url = parsePlainUrl(`${base}${base.endsWith('/') ? '' : '/'}embeddings`);
  const isBare = url !== null && url.username === '' && url.password === '' && !/[?#]/.test(base);
  return isBare ? url : null;
}

/**
 * Why a provider cannot be saved with this address; empty where it can. Nothing is asked of it, and each
 * request is checked again.
 */
export function urlProblems(policy: OutboundPolicy, base: string): FieldProblem[] {
  const refused = (message: string) => [{ path: 'base_url', code: 'url_refused', message }];
  const url = embeddingsUrl(base);
  if (url === null) {
    return refused(
      'must be a web address such as https://api.example.com/v1, without a user name, a password, a query or a fragment',
    );
  }
  if (url.protocol !== 'https:' && !allowsHttp(policy, url)) {
    return refused(`must begin with https://; ${policy.setting} names the hosts that may speak plain http`);
  }
  const literal = literalAddress(url.hostname);
  try {
    if (literal !== null) {
      refuseAddress(policy, url, literal);
    }
    return [];
  } catch (error) {
    if (error instanceof OutboundError) {
      return refused(error.message);
    }
    throw error;
  }
}
