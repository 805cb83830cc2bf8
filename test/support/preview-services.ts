/**
 * Previews of services that are open in browsers, on the real API and database, with a real server where
 * their gateway would be. It refuses what is not signed for its preview, as the gateway does, and
 * answers as each test says.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createLabel, labelSha256 } from '../../api/previews/origin.ts';
import { createSession } from '../../commands/sessions/create.ts';
import { isSignedServiceRequest, serviceRequestHeader } from '../../contract/service-signature.ts';
import { controlKey } from '../../contract/session-keys.ts';
import { insertOpening } from '../../store/previews/openings.ts';
import { type Person, startTestApi, type TestApi } from './api.ts';
import { type Got, requestAtHost } from './request-at-host.ts';

export interface Arrived {
  method: string;
  target: string;
  headers: IncomingMessage['headers'];
}

/** Stands where the gateway and the service are. */
export interface StandIn {
  address: string;
  /** What was signed, in order. */
  arrived: Arrived[];
  /** How many requests were not signed for `previewId`. */
  refused: number;
  /** Of which preview it serves requests. */
  previewId: string;
  /** By path; others are answered with what arrived, as JSON. */
  on(path: string, answer: RequestListener): void;
  /** How many connections it has. */
  connections(): Promise<number>;
  close(): void;
}

export interface OpenService {
  id: string;
  session: string;
  host: string;
  label: string;
  /** Of whom it is open for. */
  signInId: string;
  standIn: StandIn;
  send(path: string, headers?: Record<string, string>, method?: string, body?: string | Buffer): Promise<Got>;
  /** The bytes that a raw request is answered with until the API closes, or `stop` says that it is enough. */
  raw(text: string, stop?: (got: string) => boolean): Promise<string>;
  webSocket(path?: string, headers?: Record<string, string>): Promise<Upgraded>;
}

export interface Upgraded {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  /** Null for a refusal. */
  socket: Duplex | null;
  body: string;
}

export interface ServicePreviews {
  api: TestApi;
  workspace: Awaited<ReturnType<TestApi['workspace']>>;
  /** A preview of a service in this state, in the one workspace unless told, open for a person. */
  open(given?: {
    state?: string;
    audience?: string;
    who?: Person;
    within?: ServicePreviews['workspace'];
  }): Promise<OpenService>;
  /** The same preview, opened by somebody. */
  openAs(service: OpenService, who: Person): Promise<OpenService>;
  stop(): Promise<void>;
}

/** On which the services think that they listen. */
export const servicePort = 4321;

export async function startServicePreviews(overrides: Record<string, string> = {}): Promise<ServicePreviews> {
  const api = await startTestApi(overrides);
  const workspace = await api.workspace();
  const standIns: StandIn[] = [];
  const openedBy = async (opened: Pick<OpenService, 'id' | 'session' | 'standIn'>, who: Person) => {
    const label = createLabel();
    const signIn = await api.db('sign_ins').where({ user_id: who.user.id, revoked_at: null }).first('id');
    const signInId = signIn?.id ?? '';
    const opening = { labelSha256: labelSha256(label), previewId: opened.id, signInId, seconds: 600 };
    await insertOpening(api.db, opening, { limit: 50 });
    return { ...opened, signInId, ...visitor(api.url, label) };
  };
  return {
    api,
    workspace,
    async open({ state = 'running', audience = 'workspace', within = workspace, who = within.member } = {}) {
      const session = await startSession(api, within);
      const id = randomUUID();
      const standIn = await startStandIn(controlKey(api.config.SESSION_KEY_SEED, id), id);
      standIns.push(standIn);
      await insertService(
        api,
        { id, session, state, audience, address: standIn.address },
        within.workspace.id,
      );
      return openedBy({ id, session, standIn }, who);
    },
    openAs: openedBy,
    async stop() {
      for (const standIn of standIns) {
        standIn.close();
      }
      await api.stop();
    },
  };
}

async function startSession(
  api: TestApi,
  { base, member, workspace }: ServicePreviews['workspace'],
): Promise<string> {
  const body = { name: `a-${randomUUID()}`, run: { type: 'builtin', name: 'scripted' } };
  const { agent } = await member.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body);
  const id = randomUUID();
  await createSession(api.db, {
    ...{ id, workspaceId: workspace.id, agentId: agent.id, prompt: '' },
    ...{ operatorId: member.user.id, rootOperatorId: member.user.id, parentSessionId: null },
  });
  return id;
}

async function insertService(
  api: TestApi,
  given: { id: string; session: string; state: string; audience: string; address: string },
  workspaceId: string,
): Promise<void> {
  const { id, session, state, audience, address } = given;
  await api.db.raw(
    `insert into previews (id, workspace_id, session_id, call_id, audience, service, files, size_bytes, expires_at)
     values (?, ?, ?, gen_random_uuid(), ?, 'web', 0, 0, now() + interval '1 hour')`,
    [id, workspaceId, session, audience],
  );
  const isOver = state === 'stopped' || state === 'failed';
  await api.db.raw(
    `insert into preview_services (preview_id, state, configuration, address, stopped_at)
     values (?, ?, ?, ?, case when ? then now() end)`,
    [
      ...[id, state, JSON.stringify({ service: { port: servicePort } })],
      ...[state === 'running' ? address : null, isOver],
    ],
  );
}

async function startStandIn(key: string, previewId: string): Promise<StandIn> {
  const answers = new Map<string, RequestListener>();
  const sockets = new Set<Duplex>();
  const isSigned = ({ headers, method = '', url: target = '' }: IncomingMessage) => {
    const given = String(headers[serviceRequestHeader]);
    const signed = isSignedServiceRequest(key, given, { method, target, nowMs: Date.now() });
    if (signed) {
      standIn.arrived.push({ method, target, headers });
    } else {
      standIn.refused += 1;
    }
    return signed;
  };
  const server = createServer((incoming, response) => {
    if (!isSigned(incoming)) {
      response.writeHead(401).end();
      return;
    }
    const answer = answers.get((incoming.url ?? '').replace(/\?.*/, '')) ?? echo;
    answer(incoming, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    isSigned(incoming) && incoming.url === '/socket'
      ? acceptSocket(incoming, socket, head)
      : socket.end('HTTP/1.1 403 Forbidden\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nno');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const standIn: StandIn = {
    ...{ arrived: [], refused: 0, previewId },
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    on: (path, answer) => void answers.set(path, answer),
    connections: async () => sockets.size,
    close() {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
  return standIn;
}

function echo(incoming: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const { method, url, headers } = incoming;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
}

/** What of the handshake the RFC asks of a server; then every byte returns as it came. */
function acceptSocket({ headers }: IncomingMessage, socket: Duplex, head: Buffer): void {
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  const protocol = headers['sec-websocket-protocol'];
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
      'Set-Cookie: session=taken',
      'X-Of-The-Service: 1',
      '\r\n',
    ].join('\r\n'),
  );
  socket.write(head);
  socket.on('error', () => undefined).pipe(socket);
}

type Visitor = Pick<OpenService, 'host' | 'label' | 'raw' | 'send' | 'webSocket'>;

function visitor(url: string, label: string): Visitor {
  const { port } = new URL(url);
  const host = `${label}.localhost:${port}`;
  return {
    host,
    label,
    send: (path, headers = {}, method = 'GET', body) =>
      requestAtHost(url, { host, path, headers, method, ...(body === undefined ? {} : { body }) }),
    raw: (text, stop = () => false) => rawRequest(Number(port), text.replaceAll('HOST', host), stop),
    webSocket: (path = '/socket', headers = {}) => openWebSocket(url, path, { host, ...headers }),
  };
}

/** Sends these bytes and returns what is answered. */
export async function rawRequest(
  port: number,
  text: string,
  stop: (got: string) => boolean = () => false,
): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1');
  let got = '';
  socket.on('data', (chunk) => {
    got += chunk.toString('latin1');
    if (stop(got)) {
      socket.destroy();
    }
  });
  socket.on('error', () => undefined);
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return got;
}

/** As a page with an opaque origin opens one, unless `headers` say otherwise. */
export function openWebSocket(url: string, path: string, headers: Record<string, string>): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      path,
      agent: false,
      headers: {
        ...{ connection: 'Upgrade', upgrade: 'websocket', origin: 'null' },
        ...{ 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' },
        ...headers,
      },
    });
    sent.once('upgrade', (answer, socket: Duplex, head) => {
      socket.on('error', () => undefined).unshift(head);
      resolve({ status: answer.statusCode, headers: answer.headers, socket, body: '' });
    });
    sent.once('response', (answer) => {
      let body = '';
      answer.on('data', (chunk) => (body += chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, socket: null, body }),
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}
