/** Requests to a registry. Its credentials go to its own origin; a redirect elsewhere gets none and may lead only to public addresses. */
import type { IncomingMessage } from 'node:http';
import { rootCertificates } from 'node:tls';
import { OutboundError } from '../../../../lib/outbound/errors.ts';
import { get } from '../../../../lib/outbound/get.ts';
import { resolveByLookup } from '../../../../lib/outbound/resolve-names.ts';
import { retry } from '../../../../lib/timing/retry.ts';
import { withinLimit } from '../../../../lib/timing/time-limit.ts';
import { PackagesError } from '../errors.ts';
import { agentThrough, type OutboundProxy, type Registry } from './registries.ts';

export interface Upstream {
  /** Null when the registry has no such thing. Throws PackagesError. The body must be read or destroyed. */
  ask(registry: Registry, url: URL, accept: string): Promise<UpstreamAnswer | null>;
}

export interface UpstreamAnswer {
  /** After redirects. */
  url: URL;
  contentType: string;
  body: IncomingMessage;
}

export interface UpstreamOptions {
  outboundProxy: OutboundProxy | null;
  /** Hosts besides the registries' own, by `host` of a URL, that files may come from although their addresses are private. */
  privateHosts: readonly string[];
  /** PEM beside the system's authorities. */
  certificateAuthorities: string | null;
  /** Until an answer begins. */
  answerTimeoutMs: number;
  signal: AbortSignal;
}

const redirects = 5;
/** One retry, when there was no response or the registry failed. */
const twice = {
  attempts: 2,
  firstDelayMs: 500,
  isRetryable: (error: unknown) => !(error instanceof OutboundError),
};

export function createUpstream(options: UpstreamOptions): Upstream {
  const authorities = options.certificateAuthorities;
  const fixed = {
    resolveName: resolveByLookup,
    agentFor: agentThrough(options.outboundProxy),
    ...(authorities === null ? {} : { certificateAuthority: [...rootCertificates, authorities].join('\n') }),
  };
  const once = async ({ url: own, authorization }: Registry, url: URL, accept: string) => {
    const scheme = own.protocol === 'https:' ? ('https' as const) : ('http' as const);
    const others = options.privateHosts.map((host) => [host, 'https' as const] as const);
    const policy = {
      privateHosts: new Map([...others, [own.host, scheme]]),
      setting: 'PACKAGE_FILE_HOSTS of the worker',
    };
    const isOwn = url.origin === own.origin;
    const headers = { accept, ...(authorization !== null && isOwn ? { authorization } : {}) };
    const answer = await withinLimit(options.answerTimeoutMs, undefined, (untilAnswer) => {
      // The body is read beyond that limit.
      const signal = AbortSignal.any([options.signal, untilAnswer]);
      return get({ ...fixed, policy, signal }, url, headers, redirects);
    });
    if (answer.status >= 500 || answer.status === 429) {
      answer.body.destroy();
      throw refused(url, answer.status);
    }
    return answer;
  };
  return {
    async ask(registry, url, accept) {
      const { status, ...answer } = await retry(() => once(registry, url, accept), {
        ...twice,
        signal: options.signal,
      }).catch((error: unknown) => {
        throw error instanceof PackagesError ? error : unreachable(url, error);
      });
      if (status === 200) {
        return {
          url: answer.url,
          contentType: String(answer.headers['content-type'] ?? ''),
          body: answer.body,
        };
      }
      answer.body.destroy();
      if (status === 404) {
        return null;
      }
      throw refused(url, status);
    },
  };
}

function refused({ host }: URL, status: number): PackagesError {
  const why =
    status === 401 || status === 403
      ? 'gives the platform no access; see NPM_REGISTRY_TOKEN and PYPI_INDEX_TOKEN'
      : `answered ${status}`;
  return new PackagesError(`the package registry ${host} ${why}`, { shownAs: 'registry_unreachable' });
}

/** Connection error codes are the most informative, and hold no secret. */
function unreachable({ host }: URL, error: unknown): PackagesError {
  const code = error !== null && typeof error === 'object' && 'code' in error ? String(error.code) : null;
  const why = code === null || code === 'ABORT_ERR' ? 'no answer in time' : code;
  return new PackagesError(`the package registry ${host} cannot be reached (${why})`, {
    shownAs: 'registry_unreachable',
  });
}
