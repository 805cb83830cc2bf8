/** Requests to a registry. Its credentials go to its own origin; a redirect elsewhere gets none and may lead only to public addresses. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { ImageError } from '../../../../lib/oci/errors.ts';
import { get, resolveAllAddresses } from '../../../../lib/oci/http.ts';
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
const pauseMs = 500;

export function createUpstream(options: UpstreamOptions): Upstream {
  const authorities = options.certificateAuthorities;
  const fixed = {
    resolveName: resolveAllAddresses,
    agentFor: agentThrough(options.outboundProxy),
    ...(authorities === null ? {} : { certificateAuthority: [...rootCertificates, authorities].join('\n') }),
  };
  const once = async ({ url: own, authorization }: Registry, url: URL, accept: string) => {
    const tooLate = new AbortController();
    const timer = setTimeout(() => tooLate.abort(), options.answerTimeoutMs);
    const scheme = own.protocol === 'https:' ? ('https' as const) : ('http' as const);
    const others = options.privateHosts.map((host) => [host, 'https' as const] as const);
    const policy = { private: new Map([...others, [own.host, scheme]]), realms: new Map() };
    const isOwn = url.origin === own.origin;
    const headers = { accept, ...(authorization !== null && isOwn ? { authorization } : {}) };
    try {
      const signal = AbortSignal.any([options.signal, tooLate.signal]);
      return await get({ ...fixed, policy, signal }, url, headers, redirects);
    } finally {
      clearTimeout(timer);
    }
  };
  /** Retries once after a pause when there was no response, or the registry failed. */
  const twice = async (registry: Registry, url: URL, accept: string) => {
    const first = await once(registry, url, accept).catch((error: unknown) => error);
    if (!(first instanceof Error) && isAnswer(first) && first.status < 500 && first.status !== 429) {
      return first;
    }
    if (first instanceof ImageError) {
      throw first;
    }
    if (isAnswer(first)) {
      first.body.destroy();
    }
    await sleep(pauseMs, undefined, { signal: options.signal });
    return once(registry, url, accept);
  };
  return {
    async ask(registry, url, accept) {
      const { status, ...answer } = await twice(registry, url, accept).catch((error: unknown) => {
        throw unreachable(url, error);
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

const isAnswer = (value: unknown): value is Awaited<ReturnType<typeof get>> =>
  value !== null && typeof value === 'object' && 'status' in value && 'body' in value;

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
