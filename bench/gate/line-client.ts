/** A client of newline-delimited JSON-RPC on a Unix socket, with as little overhead as possible. */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { initializedLine, initializeLine } from './messages.ts';

export interface Client {
  /**
   * Sends one request and resolves when its answer arrives. Rejects when the answer is an error or
   * the peer has disconnected.
   */
  send(id: number, line: string): Promise<void>;
  close(): void;
}

const idOf = /"id":(\d+)/;

export async function openLineClient(path: string): Promise<Client> {
  const socket = createConnection(path);
  await once(socket, 'connect');
  const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();

  const takeAnswer = (line: string) => {
    const id = Number(idOf.exec(line)?.[1]);
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (line.includes('"isError":true') || line.includes('"error":{')) {
      waiter?.reject(new Error(`refused: ${line.slice(0, 300)}`));
    } else {
      waiter?.resolve();
    }
  };
  let rest = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      takeAnswer(line);
    }
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`the connection to ${path} was closed`));
    }
  });

  /** Batches what is sent in one turn of the event loop into one write. */
  const write = (line: string) => {
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(`${line}\n`, 'latin1');
  };
  const send = (id: number, line: string) =>
    new Promise<void>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      write(line);
    });
  await send(0, initializeLine);
  write(initializedLine);
  return { send, close: () => socket.destroy() };
}
