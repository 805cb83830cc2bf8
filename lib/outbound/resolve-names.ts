/**
 * Resolves names that others than the operator chose. `dns.lookup` asks on one of the few threads that a
 * process has for that and for its files, and holds it for as long as a name server keeps silent: a few names
 * of one tenant would stop the look-ups of all, and the connections to Postgres with them. These hold no
 * thread, have a limit, end with their request, and leave room for those of other workspaces.
 */
import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createSharedSemaphore } from '../limits/semaphore.ts';
import { withinLimit } from '../timing/time-limit.ts';
import type { ResolveName } from './guarded-lookup.ts';
import type { OutboundPolicy } from './policy.ts';

export interface NameServices {
  /** The files that the system's own resolver reads. */
  hostsFile: string;
  resolverFile: string;
  /** In place of the file's name servers; with a port where it is not 53. */
  servers?: readonly string[];
  /** For the whole look-up, of all that the name may stand for. */
  limitMs: number;
}

const ofSystem: NameServices = {
  hostsFile: '/etc/hosts',
  resolverFile: '/etc/resolv.conf',
  limitMs: 5000,
};

/** A question is asked again after this long, as an answer may be lost. */
const retryAfterMs = 1500;
const tries = 2;
const noAddress = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** For names that the operator chose: the system's own look-up, with all that the machine knows. */
export const resolveByLookup: ResolveName = (hostname) => lookup(hostname, { all: true });

export interface LookUpLimits {
  /** At a time. */
  whole: number;
  /** Of these, for one workspace. */
  ofWorkspace: number;
  /** For each, with the wait for its turn. */
  limitMs: number;
}

/**
 * Look-ups that wait for their turn: those of one workspace, however slow its name servers are, leave room
 * for others. A late one fails with EAI_AGAIN.
 */
export function shareLookUps(
  resolve: (hostname: string, signal: AbortSignal) => Promise<LookupAddress[]>,
  { whole, ofWorkspace, limitMs }: LookUpLimits,
): ResolveName {
  const withPermit = createSharedSemaphore({ permits: whole, permitsOfKey: ofWorkspace });
  return (hostname, signal, workspaceId) =>
    withinLimit(
      limitMs,
      signal,
      (limited) => withPermit(workspaceId ?? 'no workspace', limited, () => resolve(hostname, limited)),
      failure('EAI_AGAIN', hostname),
    );
}

/** Of all that this process looks up for workspaces. */
export const lookUpLimits: LookUpLimits = { whole: 64, ofWorkspace: 8, limitMs: ofSystem.limitMs };

const resolveInShare = shareLookUps((hostname, signal) => resolveTenantName(hostname, signal), lookUpLimits);

/**
 * For requests under this policy: hosts that the operator lists are looked up as the operator's own names,
 * all others in the share of their workspace.
 */
export function namesUnder({ privateHosts }: Pick<OutboundPolicy, 'privateHosts'>): ResolveName {
  const listed = new Set([...privateHosts.keys()].map((host) => new URL(`http://${host}`).hostname));
  return (hostname, signal, workspaceId) =>
    listed.has(hostname) ? resolveByLookup(hostname) : resolveInShare(hostname, signal, workspaceId);
}

/**
 * All addresses of a name, IPv4 first: those of the hosts file, else those that the name servers know, with
 * the search domains of the system. Fails with the codes of `dns.lookup`, ENOTFOUND and EAI_AGAIN, and with
 * the reason of `signal` when that is aborted.
 */
export async function resolveTenantName(
  hostname: string,
  signal?: AbortSignal,
  { hostsFile, resolverFile, servers, limitMs }: NameServices = ofSystem,
): Promise<LookupAddress[]> {
  const local = localAddresses(hostname, await textOf(hostsFile));
  const settings = readSettings(await textOf(resolverFile));
  signal?.throwIfAborted();
  if (local.length > 0) {
    return local;
  }
  const resolver = new Resolver({ timeout: retryAfterMs, tries });
  const asked = servers ?? settings.servers;
  if (asked.length > 0) {
    resolver.setServers(asked);
  }
  const cancel = () => resolver.cancel();
  const timer = setTimeout(cancel, limitMs);
  signal?.addEventListener('abort', cancel);
  try {
    for (const name of candidates(hostname, settings)) {
      const found = await ask(resolver, name);
      if (found.length > 0) {
        return found;
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw failure('EAI_AGAIN', hostname, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
  throw failure('ENOTFOUND', hostname);
}

const failure = (code: 'ENOTFOUND' | 'EAI_AGAIN', hostname: string, cause?: unknown): Error =>
  Object.assign(new Error(`${code} ${hostname}`, { cause }), { code });

/**
 * Empty when there is no such name, or it has no address. Throws when no address is known and a name
 * server failed to answer.
 */
async function ask(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const kinds = [
    resolver.resolve4(name).then((all) => all.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(name).then((all) => all.map((address) => ({ address, family: 6 }))),
  ];
  const settled = await Promise.allSettled(kinds);
  const found = settled.flatMap((kind) => (kind.status === 'fulfilled' ? kind.value : []));
  const failed = settled.flatMap((kind) =>
    kind.status === 'rejected' && !noAddress.has(codeOf(kind.reason)) ? [kind.reason] : [],
  );
  if (found.length === 0 && failed.length > 0) {
    throw failed[0];
  }
  return found;
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** A file's words, line by line, without its comments. */
const wordsOf = (text: string): string[][] =>
  text.split('\n').map((line) => (line.split(/[#;]/)[0] ?? '').trim().split(/\s+/));

/** Of the hosts file; `localhost` and what is below it is this machine, whatever a name server says. */
function localAddresses(hostname: string, hosts: string): LookupAddress[] {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  const listed = wordsOf(hosts).flatMap(([address = '', ...names]) =>
    isIP(address) !== 0 && names.some((each) => each.toLowerCase() === name)
      ? [{ address, family: isIP(address) }]
      : [],
  );
  if (listed.length > 0) {
    return listed.toSorted((one, other) => one.family - other.family);
  }
  return name === 'localhost' || name.endsWith('.localhost')
    ? [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]
    : [];
}

interface ResolverSettings {
  servers: string[];
  search: string[];
  /** A name with fewer dots is first looked for in the search domains. */
  ndots: number;
}

/** As in resolv.conf(5): of `search` and `domain` the last counts, and of `nameserver` the first three. */
function readSettings(text: string): ResolverSettings {
  const settings: ResolverSettings = { servers: [], search: [], ndots: 1 };
  for (const [keyword, ...words] of wordsOf(text)) {
    if (
      keyword === 'nameserver' &&
      isIP(words[0]?.split('%')[0] ?? '') !== 0 &&
      settings.servers.length < 3
    ) {
      settings.servers.push(words[0] ?? '');
    } else if (keyword === 'search' || keyword === 'domain') {
      settings.search = words.slice(0, 6);
    } else if (keyword === 'options') {
      const ndots = words
        .map((word) => /^ndots:(\d{1,2})$/.exec(word)?.[1])
        .findLast((given) => given !== undefined);
      settings.ndots = ndots === undefined ? settings.ndots : Math.min(15, Number(ndots));
    }
  }
  return settings;
}

/** What a name may stand for, in the order in which it is looked for. */
function candidates(hostname: string, { search, ndots }: ResolverSettings): string[] {
  if (hostname.endsWith('.')) {
    return [hostname.slice(0, -1)];
  }
  const below = search.map((domain) => `${hostname}.${domain.replace(/\.$/, '')}`);
  const dots = hostname.split('.').length - 1;
  return dots >= ndots ? [hostname, ...below] : [...below, hostname];
}
