/** A connection that sends what it likes, as a hostile agent or server would, and keeps what comes back. */
import { createConnection, type Socket } from 'node:net';
import { until } from './session.ts';

export interface Wire {
  socket: Socket;
  received: Record<string, unknown>[];
  isClosed(): boolean;
  send(...lines: (string | object)[]): void;
  /** The answer to a request's id; throws when none comes. */
  answerTo(id: string | number): Promise<Record<string, unknown>>;
}

const open = new Set<Socket>();

/** Closes every wire, so that a failed test does not block later ones. */
export function closeWires(): void {
  for (const socket of open) {
    socket.destroy();
  }
  open.clear();
}

export async function openWire(path: string): Promise<Wire> {
  const socket = createConnection({ path, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  open.add(socket);
  const received: Record<string, unknown>[] = [];
  let text = '';
  let closed = false;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    received.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>));
  });
  socket.on('error', () => undefined);
  socket.on('end', () => {
    closed = true;
    socket.end();
  });
  const find = (id: string | number) => received.find((message) => message['id'] === id);
  return {
    socket,
    received,
    isClosed: () => closed,
    send(...lines) {
      for (const line of lines) {
        socket.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
      }
    },
    async answerTo(id) {
      await until(() => find(id) !== undefined, `the answer to ${id}`);
      return find(id) ?? {};
    },
  };
}

export const request = (id: string | number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
export const call = (id: string | number, name: string, args: object = {}) =>
  request(id, 'tools/call', { name, arguments: args });
export const initialize = request(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'wire', version: '1' },
});
