/**
 * Runs in a network namespace of its own, in which every kind of special address is this machine's and has a
 * listener. Asks the guard for each of them in every way that the test knows, and prints the results as JSON.
 */
import type { LookupAddress } from 'node:dns';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { connect, createServer, isIPv6, type Server } from 'node:net';
import { resolveByLookup } from '../../../../lib/outbound/resolve-names.ts';
import type { OutboundContext } from '../../../../lib/outbound/send.ts';
import { get, request } from '../../../../lib/outbound/send.ts';
import { disguises, spellings } from './address-spellings.ts';
import { listening, publicAddress, special, unbound } from './special-addresses.ts';

export interface Report {
  /** Listeners that a connection without the guard reached: all of them, or the test proves nothing. */
  reachedWithoutGuard: number;
  attempts: number;
  /** Connections that arrived at a special address. */
  arrived: number;
  /** Responses that the public host gave, which shows that the guard lets anything through at all. */
  answered: number;
  /** Attempts that were not refused, or by something other than the guard. */
  unexpected: string[];
}

const ports = [443, 80];
const limitMs = 5000;
const names = new Map<string, LookupAddress[][]>();
let arrived = 0;
let answered = 0;
let attempts = 0;
const unexpected: string[] = [];

const address = (text: string): LookupAddress => ({ address: text, family: isIPv6(text) ? 6 : 4 });

/** A name whose addresses are another list each time; the last stays. */
function nameFor(...answers: string[][]): string {
  const name = `name-${names.size}.test`;
  names.set(
    name,
    answers.map((list) => list.map(address)),
  );
  return name;
}

async function resolveName(hostname: string): Promise<LookupAddress[]> {
  const answers = names.get(hostname);
  if (answers === undefined) {
    return resolveByLookup(hostname);
  }
  return (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
}

/** The public host speaks plain HTTP here; it is the only one that the operator listed. */
const context = (): OutboundContext => ({
  policy: { privateHosts: new Map([['public.test', 'http' as const]]), setting: 'SETTING' },
  resolveName,
  workspaceId: null,
  signal: AbortSignal.timeout(limitMs),
});

const refusals = new Set(['address_refused', 'insecure', 'invalid_response', 'redirect_refused']);
const headers = { authorization: 'Bearer a-secret' };

/** Asks a URL; returns the status. */
type Ask = (url: URL) => Promise<number>;

/** The two ways through the guard: one follows redirects, the other has a body and must not follow any. */
const ways: Readonly<Record<string, Ask>> = {
  GET: async (url) => {
    const { body, status } = await get(context(), url, headers, 5);
    body.destroy();
    return status;
  },
  POST: async (url) => {
    const body = { form: { client_secret: 'a-secret' } };
    const limits = { contentTypes: [], maxBytes: 1000, timeoutMs: limitMs };
    return (await request(context(), { method: 'POST', url, headers, body, ...limits })).status;
  },
};
let way = 'GET';

/** Each of these must be refused by the guard, before a connection is made. */
async function attempt(text: string, mayFailOtherwise = false): Promise<void> {
  attempts += 1;
  if (!URL.canParse(text)) {
    return;
  }
  try {
    unexpected.push(`${way} ${text} answered ${await ways[way]?.(new URL(text))}`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (!refusals.has(code) && !mayFailOtherwise) {
      unexpected.push(`${way} ${text} failed with ${code}`);
    }
  }
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer((socket) => {
    arrived += 1;
    socket.on('error', () => undefined).destroy();
  });
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(port, host, resolve));
  return server;
}

/** Whether a plain connection gets there. */
const isReached = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** Redirects to whatever its path says, encoded. */
async function openPublicHost(): Promise<HttpServer> {
  const server = createHttpServer((request, response) => {
    const [, status = '', target = ''] = /^\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? [];
    // Bytes of UTF-8, as a server would send them.
    const location = Buffer.from(decodeURIComponent(target)).toString('latin1');
    response.writeHead(Number(status) || 200, location === '' ? {} : { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(80, publicAddress, resolve));
  return server;
}

names.set('public.test', [[address(publicAddress)]]);
const publicHost = await openPublicHost();
const listeners = await Promise.all(listening.flatMap((host) => ports.map((port) => listen(host, port))));
const reached = await Promise.all(listening.flatMap((host) => ports.map((port) => isReached(host, port))));
arrived = 0;

const { status, body } = await get(context(), new URL('http://public.test/'), {}, 0);
body.destroy();
answered = status === 200 ? 1 : 0;

async function attemptAll(): Promise<void> {
  for (const host of [...special, ...unbound]) {
    const literal = isIPv6(host) ? `[${host}]` : host;
    const spelled = isIPv6(host) ? [literal] : spellings(host);
    for (const each of spelled) {
      await attempt(`https://${each}/`);
      await attempt(`http://${each}/`);
      await attempt(`http://public.test/302/${encodeURIComponent(`https://${each}/`)}`);
    }
    for (const url of isIPv6(host) ? [] : disguises(host)) {
      // Some of these name the public host in the standard's parser, where nothing listens for TLS.
      await attempt(url, true);
    }
    for (const code of [301, 303, 307, 308]) {
      await attempt(`http://public.test/${code}/${encodeURIComponent(`https://${literal}/`)}`);
      await attempt(`http://public.test/${code}/${encodeURIComponent(`//${literal}/`)}`);
    }
    await attempt(`https://${nameFor([host])}/`);
    await attempt(`https://${nameFor([publicAddress, host])}/`);
    await attempt(`https://${nameFor([host, publicAddress])}/`);
    // The name is public when it is asked first, and something else at the next request.
    const turning = nameFor([publicAddress], [host]);
    await attempt(`https://${turning}/`, true);
    await attempt(`https://${turning}/`);
    await attempt(`http://public.test/302/${encodeURIComponent(`https://${nameFor([host])}/`)}`);
  }
  for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost', 'a.localhost']) {
    await attempt(`https://${name}/`, true);
  }
  for (const scheme of [
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'data:text/plain,x',
    'gopher://127.0.0.1:80/',
  ]) {
    await attempt(`http://public.test/302/${encodeURIComponent(scheme)}`);
  }
}

for (way of Object.keys(ways)) {
  await attemptAll();
}

const report: Report = {
  reachedWithoutGuard: reached.filter(Boolean).length,
  attempts,
  arrived,
  answered,
  unexpected,
};
process.stdout.write(JSON.stringify(report));
for (const server of [publicHost, ...listeners]) {
  server.close();
}
