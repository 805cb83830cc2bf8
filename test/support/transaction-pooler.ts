/**
 * A pooler in transaction mode in front of the Postgres of a URL, as PgBouncer is by default: each
 * transaction of a client gets one of a few server connections, and gives it back at its end. `order` is how
 * the next one is chosen among those that are free.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import pg from 'pg';

export interface TransactionPooler {
  url: string;
  close(): Promise<void>;
}

export async function startTransactionPooler(
  url: string,
  { servers, order }: { servers: number; order: 'latest' | 'in turns' },
): Promise<TransactionPooler> {
  const clients = await Promise.all(Array.from({ length: servers }, () => connectedClient(url)));
  const free = clients.map(takeStream);
  const waiting: ((stream: Socket) => void)[] = [];
  const take = () => {
    const stream = order === 'latest' ? free.pop() : free.shift();
    return stream === undefined ? new Promise<Socket>((resolve) => waiting.push(resolve)) : stream;
  };
  const give = (stream: Socket) => {
    const next = waiting.shift();
    if (next === undefined) {
      free.push(stream);
    } else {
      next(stream);
    }
  };
  const open = new Set<Socket>();
  const listener = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    void serve(socket, take, give);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const pooled = new URL(url);
  pooled.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    url: pooled.href,
    async close() {
      for (const socket of open) {
        socket.destroy();
      }
      listener.close();
      for (const { connection } of clients) {
        connection.stream.destroy();
      }
    },
  };
}

type RawClient = pg.Client & { connection: { stream: Socket } };

async function connectedClient(url: string): Promise<RawClient> {
  const client = new pg.Client({ connectionString: url }) as RawClient;
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The connection after its sign-in; the driver reads no more of it. */
function takeStream({ connection: { stream } }: RawClient): Socket {
  stream.removeAllListeners('data');
  stream.on('error', () => undefined);
  return stream;
}

/** Reads messages; those of a client's start have no type. */
async function serve(
  socket: Socket,
  take: () => Socket | Promise<Socket>,
  give: (stream: Socket) => void,
): Promise<void> {
  let server: Socket | null = null;
  let isStarted = false;
  let buffered = Buffer.alloc(0);
  for await (const chunk of socket) {
    buffered = Buffer.concat([buffered, chunk]);
    for (let message = next(buffered, isStarted); message !== null; message = next(buffered, isStarted)) {
      buffered = buffered.subarray(message.length);
      if (!isStarted) {
        isStarted = true;
        socket.write(welcome);
      } else if (message.toString('latin1', 0, 1) === 'X') {
        socket.end();
      } else {
        server ??= await lend(await take(), socket, (stream) => {
          server = null;
          give(stream);
        });
        server.write(message);
      }
    }
  }
}

/** Passes on what the server answers, until it says that no transaction is open. */
function lend(server: Socket, socket: Socket, done: (server: Socket) => void): Socket {
  let buffered = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (let message = next(buffered, true); message !== null; message = next(buffered, true)) {
      buffered = buffered.subarray(message.length);
      if (message.toString('latin1', 0, 1) === 'Z' && message.toString('latin1', 5, 6) === 'I') {
        server.off('data', onData);
        done(server);
      }
      socket.write(message);
    }
  };
  server.on('data', onData);
  return server;
}

function next(buffered: Buffer, hasType: boolean): Buffer | null {
  const start = hasType ? 1 : 0;
  if (buffered.length < start + 4) {
    return null;
  }
  const length = start + buffered.readInt32BE(start);
  return buffered.length < length ? null : buffered.subarray(0, length);
}

function messageOf(type: string, body: Buffer): Buffer {
  const head = Buffer.from(`${type}0000`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Signed in without a question, with a key for cancelling that cancels nothing, and ready. */
const welcome = Buffer.concat([
  messageOf('R', Buffer.alloc(4)),
  messageOf('K', randomBytes(8)),
  messageOf('Z', Buffer.from('I')),
]);
