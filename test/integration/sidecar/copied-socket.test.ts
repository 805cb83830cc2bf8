/**
 * A socket of the sidecar whose connections another container dials: real sockets, with either side hostile.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CopiedSocket, openCopiedSocket } from '../../../sidecar/dialed-connections/copied-socket.ts';
import { eventually } from '../../support/eventually.ts';

const limits = { mostConnections: 3, connectMs: 1500, stalledMs: 1000, silentMs: 1500, lingerMs: 1000 };
let directory: string;
let copied: CopiedSocket;
let sockets: Socket[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'copied-'));
  sockets = [];
  copied = await openCopiedSocket({
    path: at('asked'),
    dialedPath: at('dialed'),
    limits,
  });
});
afterEach(async () => {
  for (const socket of sockets) {
    socket.destroy();
  }
  await copied.close();
  rmSync(directory, { recursive: true, force: true });
});

const at = (name: string) => join(directory, `${name}.sock`);

async function connect(name: 'asked' | 'dialed'): Promise<Socket> {
  const socket = createConnection({ path: at(name), allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}
/** With an answer of what was said until the end. */
const allOf = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  return Buffer.concat(chunks).toString();
};
const closed = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => {
    socket.resume().once('end', resolve).once('close', resolve);
    if (socket.closed || socket.readableEnded) {
      resolve(null);
    }
  });
const next = (socket: Socket): Promise<string> =>
  new Promise((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())));

/** Reads what says that the connection is used, and comes before all that is asked. */
const used = async (dialed: Socket): Promise<void> => expect(await next(dialed)).toBe('\u0001');

describe('a copied socket', () => {
  it('passes bytes and the end of each direction on by itself', async () => {
    const dialed = await connect('dialed');
    const asking = await connect('asked');
    await used(dialed);
    const heard = allOf(dialed);
    asking.end('question'.repeat(100_000));
    expect(await heard).toBe('question'.repeat(100_000));
    const answer = allOf(asking);
    dialed.end('answer'.repeat(100_000));
    expect(await answer).toBe('answer'.repeat(100_000));
  });

  it('has whoever asks first wait for one that dials, and closes it when nobody does in time', async () => {
    const asking = await connect('asked');
    const answer = next(asking);
    const dialed = await connect('dialed');
    dialed.write('greeting');
    expect(await answer).toBe('greeting');
    const late = await connect('asked');
    await closed(late);
  });

  it('closes connections beyond its limit at once, and takes more when one has ended', async () => {
    const pairs: Socket[] = [];
    for (let index = 0; index < limits.mostConnections; index += 1) {
      const dialed = await connect('dialed');
      dialed.once('end', () => dialed.end());
      const asking = await connect('asked');
      await used(dialed);
      const heard = next(dialed);
      asking.write('hello');
      await heard;
      pairs.push(asking);
    }
    const further = await connect('asked');
    await closed(further);
    const [first] = pairs;
    const isClosed = new Promise((resolve) => first?.once('close', resolve));
    first?.destroy();
    await isClosed;
    await eventually(async () => {
      const again = await connect('asked');
      const dialed = await connect('dialed');
      dialed.write('answer');
      expect(await Promise.race([next(again), closed(again)])).toBe('answer');
    });
  });

  it('ends both sides when one breaks', async () => {
    const dialed = await connect('dialed');
    const asking = await connect('asked');
    await used(dialed);
    const heard = next(dialed);
    asking.write('hello');
    await heard;
    dialed.destroy();
    await closed(asking);
  });

  it('gives up an answering side that reads nothing, and frees its place', async () => {
    const dialed = await connect('dialed');
    dialed.pause();
    const asking = await connect('asked');
    asking.write(Buffer.alloc(8 * 1024 * 1024));
    await closed(asking);
  });

  it('holds little for a side that reads nothing, also of bytes that come one by one', async () => {
    // Paused before it is connected: nothing is read ahead.
    sockets.push(createConnection({ path: at('dialed') }).pause());
    const asking = await connect('asked');
    let sent = 0;
    let waited = 0;
    while (waited < 20 && sent < 10_000) {
      if (asking.writableLength === 0) {
        asking.write('a');
        sent += 1;
        waited = 0;
      }
      waited += 1;
      await turn();
    }
    expect(sent).toBeLessThan(5000);
  });

  it('does not wait for a side that is silent once the other has said all', async () => {
    const dialed = await connect('dialed');
    const asking = await connect('asked');
    await used(dialed);
    asking.end('question');
    await next(dialed);
    await closed(asking);
    const second = await connect('dialed');
    const other = await connect('asked');
    await used(second);
    const heard = next(second);
    other.write('question');
    await heard;
    second.end('answer');
    expect(await next(other)).toBe('answer');
    await closed(second);
  });

  it('takes no connection on which something is said before it was asked', async () => {
    const eager = await connect('dialed');
    eager.write('nonsense');
    await closed(eager);
    const asking = await connect('asked');
    const dialed = await connect('dialed');
    const answer = next(asking);
    dialed.write('answer');
    expect(await answer).toBe('answer');
  });

  it('survives a flood of both sides', async () => {
    const flood = await Promise.all(
      Array.from({ length: 200 }, (_, index) => connect(index % 2 === 0 ? 'dialed' : 'asked')),
    );
    await Promise.all(
      flood.map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())),
    );
    await eventually(async () => {
      const asking = await connect('asked');
      const dialed = await connect('dialed');
      dialed.write('answer');
      expect(await Promise.race([next(asking), closed(asking)])).toBe('answer');
    });
  });

  it('announces the use of a connection before anything is said', async () => {
    const dialed = await connect('dialed');
    const asking = await connect('asked');
    await used(dialed);
    dialed.write('220 ready');
    expect(await next(asking)).toBe('220 ready');
  });
});
