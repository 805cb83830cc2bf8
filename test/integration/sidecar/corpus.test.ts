/**
 * The corpus through the real sidecar: what passes arrives byte for byte; the rest is
 * answered and reaches no server.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { implementationDefinedLines } from '../../corpus/json-rpc/implementation-defined.ts';
import { invalidMessages } from '../../corpus/json-rpc/invalid-messages.ts';
import { invalidTexts } from '../../corpus/json-rpc/invalid-texts.ts';
import { validLines } from '../../corpus/json-rpc/valid.ts';
import { bundlePrograms } from './programs.ts';
import { TestSession, until } from './session.ts';
import { call, closeWires, initialize, openWire, request, type Wire } from './wire.ts';

const script = fileURLToPath(new URL('recording-server.mjs', import.meta.url));
const record = join(tmpdir(), `record-${process.pid}`);
let session: TestSession;

beforeAll(async () => {
  session = new TestSession(await bundlePrograms(), {
    recorder: {
      command: process.execPath,
      args: [script, record],
      toolScopes: { write_file: 'files.write' },
    },
  });
  await session.start();
});
afterEach(closeWires);
afterAll(() => session.stop());

/** Verdicts of the corpus that assume pending requests; here there are none. */
const needsWaiting = new Set(['id_in_use', 'unknown_cancellation']);
const isAnswerOrCancellation = (bytes: Buffer) => /"result"|"error"|cancelled/.test(bytes.toString());
const all = [...invalidTexts, ...validLines, ...invalidMessages, ...implementationDefinedLines].filter(
  ({ bytes, verdict }) =>
    !needsWaiting.has(verdict) && !(verdict === 'passes' && isAnswerOrCancellation(bytes)),
);

describe('the corpus through the sidecar', () => {
  let wire: Wire;
  let recorded: Buffer;
  const passing = all.filter(({ verdict }) => verdict === 'passes' || verdict === 'gated');

  beforeAll(async () => {
    session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
    wire = await openWire(session.socketOf('recorder'));
    wire.send(initialize);
    await wire.answerTo(0);
    for (const { bytes, verdict } of all) {
      const answers = wire.received.length;
      wire.socket.write(Buffer.concat([bytes, Buffer.from('\n')]));
      if (verdict !== 'passes' || !bytes.includes('"method":"notifications/')) {
        // Faster than polling with `until`.
        while (wire.received.length === answers) {
          await once(wire.socket, 'data');
        }
      }
    }
    wire.send(request('end', 'ping'));
    await wire.answerTo('end');
    recorded = await readFile(record);
  });

  it('reaches the server with what passes, byte for byte and in order, and with nothing else', () => {
    const expected = [
      Buffer.from(JSON.stringify(initialize)),
      ...passing.map(({ bytes }) => bytes),
      Buffer.from(JSON.stringify(request('end', 'ping'))),
    ].flatMap((bytes) => [bytes, Buffer.from('\n')]);
    expect(recorded.toString('latin1').split('\n')).toEqual(
      Buffer.concat(expected).toString('latin1').split('\n'),
    );
  });

  it('is answered, and refused for the reason that it has', () => {
    const reasons = wire.received.flatMap(
      (message) => /"reason":"(\w+)"/.exec(JSON.stringify(message))?.[1] ?? [],
    );
    expect(reasons).toEqual(
      all.filter(({ verdict }) => verdict !== 'passes' && verdict !== 'gated').map(({ verdict }) => verdict),
    );
  });

  it('leaves no content in the log', () => {
    expect(session.sidecarLog).not.toContain('write_file');
  });
});

it('a cancellation before its call has no effect on it, and one after it reaches the server', async () => {
  const wire = await openWire(session.socketOf('recorder'));
  const before = (await readFile(record)).length;
  const cancelled = (requestId: string | number) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId },
  });
  let allow: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    session.platform.onCheck = () =>
      new Promise((answer) => {
        allow = () => answer({ decision: 'allowed', granted_via: null });
        resolve();
      });
  });
  wire.send(initialize);
  await wire.answerTo(0);
  wire.send(cancelled(5), call(5, 'write_file'), cancelled('5'), cancelled(5));
  await isAsked;
  allow();
  expect(await session.recordOf('recorder', 'write_file')).toBeDefined();
  const sent = () => readFileSync(record).subarray(before).toString();
  await until(() => sent().includes('notifications/cancelled'), 'the cancellation');
  const methods = sent()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).method);
  expect(methods).toEqual(['initialize', 'tools/call', 'notifications/cancelled']);
});

it('a line without end is not a line, and one that is too long is refused once, in bounded memory', async () => {
  const wire = await openWire(session.socketOf('recorder'));
  wire.send(initialize);
  await wire.answerTo(0);
  const memory = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${session.sidecar?.pid}/status`, 'utf8'))?.[1]);
  const atFirst = await memory();
  const piece = Buffer.alloc(1024 * 1024, 0x20);
  for (let sent = 0; sent < 200; sent += 1) {
    if (!wire.socket.write(piece)) {
      await new Promise((resolve) => wire.socket.once('drain', resolve));
    }
  }
  expect((await memory()) - atFirst).toBeLessThan(100_000);
  wire.socket.write('\n');
  await until(() => wire.received.length > 1, 'the refusal');
  expect(JSON.stringify(wire.received[1])).toContain('"reason":"too_large"');
  const recordedBefore = (await readFile(record)).length;
  wire.socket.end(JSON.stringify(call(9, 'read')));
  await until(wire.isClosed, 'the connection to end');
  expect((await readFile(record)).length).toBe(recordedBefore);
  expect(wire.received).toHaveLength(2);
});
