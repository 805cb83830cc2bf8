/**
 * The one way out of a sandbox that loads packages: a proxy on a Unix socket, which connects to the
 * operator's registry and file hosts and to nothing else. It forwards bytes; TLS and what is asked are the
 * package manager's own (docs/decisions/0062).
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect, type Socket } from 'node:net';
import { type Duplex, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import { guardedLookup, type ResolveName, refuseAddress } from '../../../lib/outbound/guarded-lookup.ts';
import { allowsPrivate, type OutboundPolicy } from '../../../lib/outbound/policy.ts';
import { resolveByLookup } from '../../../lib/outbound/resolve-names.ts';
import { literalAddress } from '../../../lib/outbound/special-ranges.ts';

export interface OutboundProxy {
  /** May hold a user name and a password. */
  url: string;
  /** Hosts that are reached without it: `host`, `.domain`, or `*`. */
  except: readonly string[];
}

export interface EgressOptions {
  socketPath: string;
  /** Where connections may lead: by host and port of these URLs. */
  destinations: readonly URL[];
  /** Absent: an operator named them, so that they may have a private address. */
  guard?: EgressGuard;
  outboundProxy: OutboundProxy | null;
  /** Of all that is received. */
  maxBytes: number;
  /** Called once more than that was received. */
  onTooMuch(): void;
  /** Until a connection is made, and between two pieces of an answer. */
  silenceMs: number;
}

/** For destinations that a tenant named. */
export interface EgressGuard {
  policy: OutboundPolicy;
  resolveName: ResolveName;
}

export interface Egress {
  /** What happened so far. */
  seen(): EgressSeen;
  close(): void;
}

export interface EgressSeen {
  receivedBytes: number;
  /** When the last byte was received, in milliseconds since 1970; null: none was. */
  lastByteAtMs: number | null;
  /** `host:port` of the last connection that was refused, because it leads elsewhere. */
  refused: string | null;
  /** The last connection that failed or broke off, and why, such as ECONNRESET. */
  broken: { host: string; why: string } | null;
}

/** Package managers have some 50. */
const maxConnections = 256;
/** Of one connection alone, so they are not passed on. */
const ofOneConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization']);

export async function openEgress(options: EgressOptions): Promise<Egress> {
  const state = createState(options);
  const server = createServer((request, response) => void forward(state, request, response));
  // Its idle connections end with the load: one that ends while a request is on its way breaks that off.
  server.keepAliveTimeout = 0;
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    void tunnel(state, request.url ?? '', client, head);
  });
  server.on('connection', (client: Socket) => hold(state, client));
  server.maxConnections = maxConnections;
  server.listen(options.socketPath);
  await once(server, 'listening');
  return {
    seen: () => ({ ...state.seen }),
    close() {
      server.close();
      for (const each of state.open) {
        each.destroy();
      }
    },
  };
}

interface State extends EgressOptions {
  policy: OutboundPolicy;
  open: Set<Duplex>;
  seen: EgressSeen;
}

function createState(options: EgressOptions): State {
  const hosts = options.destinations.map(({ host, protocol }) => [host, schemeOf(protocol)] as const);
  return {
    ...options,
    policy: options.guard?.policy ?? {
      privateHosts: new Map(hosts),
      setting: 'PACKAGE_FILE_HOSTS of the worker',
    },
    open: new Set(),
    seen: { receivedBytes: 0, lastByteAtMs: null, refused: null, broken: null },
  };
}

const schemeOf = (protocol: string) => (protocol === 'http:' ? 'http' : 'https');

/** Destroyed with the egress. */
function hold({ open }: State, each: Duplex): void {
  open.add(each);
  each.once('close', () => open.delete(each));
}

/** What `host:port` names; null when that is no destination. */
function destinationOf({ destinations, seen }: State, authority: string): URL | null {
  const found = destinations.find((each) => authorityOf(each) === authority.toLowerCase());
  if (found === undefined) {
    seen.refused = authority.slice(0, 300).replace(/[^\w.:[\]-]/g, '?');
  }
  return found ?? null;
}

/** With the port of its scheme, where it names none. */
const authorityOf = ({ hostname, port, protocol }: URL) =>
  `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;

async function tunnel(state: State, authority: string, client: Socket, head: Buffer): Promise<void> {
  client.on('error', () => undefined);
  const destination = destinationOf(state, authority);
  if (destination === null) {
    client.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    return;
  }
  try {
    const remote = await connectTo(state, destination);
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    remote.write(head);
    await Promise.all([pipeline(client, remote), pipeline(remote, counted(state), client)]);
  } catch (error) {
    // The package manager ends connections as it likes; only the other side's faults are
    // noted, where they occur.
    if (!client.destroyed && client.bytesWritten === 0) {
      client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      noteBroken(state, destination, error);
    } else {
      client.destroy();
    }
  }
}

/** A request of a registry that speaks plain http: its address is a whole URL. */
async function forward(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null;
  const destination = url?.protocol === 'http:' ? destinationOf(state, authorityOf(url)) : null;
  if (url === null || destination?.protocol !== 'http:') {
    request.resume();
    response.writeHead(403).end();
    return;
  }
  try {
    const remote = await connectTo(state, destination);
    const headers = { ...passedOn(request.headers), host: url.host, connection: 'close' };
    const { method = 'GET' } = request;
    const asked = requestHttp({
      ...{ method, headers, path: `${url.pathname}${url.search}`, createConnection: () => remote },
    });
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
    request.pipe(asked);
    const [answer] = await answered;
    response.writeHead(answer.statusCode ?? 502, passedOn(answer.headers));
    await pipeline(answer, counted(state), response);
  } catch (error) {
    noteBroken(state, destination, error);
    if (response.headersSent) {
      response.destroy();
    } else {
      response.writeHead(502).end();
    }
  }
}

const passedOn = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofOneConnection.has(name)));

/** A connection to an allowed address of the destination, whose bytes are counted. */
async function connectTo(state: State, destination: URL): Promise<Duplex> {
  const { outboundProxy, silenceMs } = state;
  const isDirect = outboundProxy === null || isExcepted(outboundProxy, destination);
  const remote = isDirect
    ? await connectDirectly(state, destination)
    : await connectThrough(new URL(outboundProxy.url), await checkedAuthority(state, destination), silenceMs);
  hold(state, remote);
  remote.on('error', (error) => noteBroken(state, destination, error));
  if ('setTimeout' in remote && typeof remote.setTimeout === 'function') {
    remote.setTimeout(silenceMs, () => remote.destroy(new Error('it fell silent')));
  }
  return remote;
}

/** Counts what is received, and ends it when it becomes too much. */
function counted({ seen, maxBytes, onTooMuch }: State): Transform {
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      seen.receivedBytes += piece.length;
      seen.lastByteAtMs = Date.now();
      if (seen.receivedBytes > maxBytes) {
        onTooMuch();
        return done(new Error('more was received than is allowed'));
      }
      done(null, piece);
    },
  });
}

async function connectDirectly({ guard, policy, silenceMs }: State, destination: URL): Promise<Socket> {
  const literal = literalAddress(destination.hostname);
  if (literal !== null) {
    refuseAddress(policy, destination, literal);
  }
  const remote = connect({
    host: literal ?? destination.hostname,
    port: Number(authorityOf(destination).split(':').at(-1)),
    lookup: guardedLookup(policy, destination, guard?.resolveName ?? resolveByLookup),
  });
  const tooLate = () => remote.destroy(new Error('no answer in time'));
  remote.setTimeout(silenceMs, tooLate);
  await once(remote, 'connect');
  remote.off('timeout', tooLate);
  return remote;
}

const isExcepted = ({ except }: OutboundProxy, { hostname }: URL) =>
  except.some(
    (each) =>
      each === '*' || each === hostname || hostname.endsWith(each.startsWith('.') ? each : `.${each}`),
  );

/**
 * What the outbound proxy is asked for. It resolves names itself and may reach private addresses, so that it
 * gets an address that was checked in the place of a name that a tenant chose.
 */
async function checkedAuthority({ guard, policy }: State, destination: URL): Promise<string> {
  const { host, hostname } = destination;
  const authority = authorityOf(destination);
  if (guard === undefined || allowsPrivate(policy, destination)) {
    return authority;
  }
  const literal = literalAddress(hostname);
  const addresses = literal === null ? await addressesOf(guard, destination) : [literal];
  for (const address of addresses) {
    refuseAddress(policy, destination, address);
  }
  const [first] = addresses;
  if (first === undefined) {
    throw new OutboundError('unreachable', `${host} has no address`);
  }
  return `${first.includes(':') ? `[${first}]` : first}:${authority.split(':').at(-1)}`;
}

async function addressesOf({ policy, resolveName }: EgressGuard, { host, hostname }: URL): Promise<string[]> {
  const found = await resolveName(hostname).catch(() => {
    const why = `is not known to the worker's name servers, and only hosts of ${policy.setting} are left to its proxy`;
    throw new OutboundError('unreachable', `${host} ${why}`);
  });
  return found.map(({ address }) => address);
}

/** Through the operator's own proxy, which resolves names itself. */
async function connectThrough(proxy: URL, authority: string, timeoutMs: number): Promise<Duplex> {
  const request = proxy.protocol === 'https:' ? requestHttps : requestHttp;
  const user = [proxy.username, proxy.password].map(decodeURIComponent).join(':');
  const asked = request(proxy, {
    ...{ method: 'CONNECT', path: authority, agent: false, timeout: timeoutMs },
    headers: {
      host: authority,
      ...(user === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
    },
  });
  asked.on('timeout', () => asked.destroy(new Error('no answer in time')));
  asked.end();
  const [answer, socket]: [IncomingMessage, Duplex] = await Promise.race([
    once(asked, 'connect') as Promise<[IncomingMessage, Duplex]>,
    once(asked, 'response').then(() => {
      throw new Error('the outbound proxy answered as a web server does');
    }),
  ]);
  if (answer.statusCode !== 200) {
    socket.destroy();
    throw new Error(`the outbound proxy answered ${answer.statusCode}`);
  }
  return socket;
}

/** Connection error codes are the most informative, and hold no secret. */
function noteBroken({ seen }: State, { host }: URL, error: unknown): void {
  const code = error !== null && typeof error === 'object' && 'code' in error ? String(error.code) : null;
  const isOwnWord = error instanceof OutboundError || code === null;
  seen.broken = { host, why: isOwnWord && error instanceof Error ? error.message : (code ?? 'unknown') };
}
