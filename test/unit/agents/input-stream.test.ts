import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openInputStream } from '../../../agents/scripted/input-stream.ts';

type Stream = ReturnType<typeof openInputStream>;

const message = (seq: number, kind: string, text: string) => ({
  id: 'a5a1c9a6-2b1c-4b52-9d4f-0a0d3c6f7f10',
  seq,
  kind,
  text,
  decision: null,
  input_request_id: null,
  at: '2026-01-01T00:00:00.000Z',
});

async function withStream(messages: ReturnType<typeof message>[], use: (stream: Stream) => Promise<void>) {
  const directory = mkdtempSync(join(tmpdir(), 'input-'));
  const socketPath = join(directory, 'sidecar.sock');
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const each of messages) {
      response.write(`id: ${each.seq}\nevent: message\ndata: ${JSON.stringify(each)}\n\n`);
    }
  }).listen(socketPath);
  await once(server, 'listening');
  const stream = openInputStream(socketPath);
  try {
    await use(stream);
  } finally {
    stream.close();
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true });
  }
}

it('preserves line separators inside a message', async () => {
  const text = 'one\u2028two\u2029three\u0085four';
  await withStream([message(1, 'user_message', text)], async (stream) => {
    expect(await stream.next({ contains: 'three' }, 5000)).toMatchObject({ seq: 1, text });
  });
});

it('skips messages of another kind or without the text', async () => {
  const messages = [
    message(1, 'user_message', 'approved'),
    message(2, 'permission_decision', 'denied'),
    message(3, 'permission_decision', 'approved'),
    message(4, 'input_answer', 'yes'),
  ];
  await withStream(messages, async (stream) => {
    const decision = { kind: 'permission_decision' as const, contains: 'approved' };
    expect(await stream.next(decision, 5000)).toMatchObject({ seq: 3 });
    expect(await stream.next({ kind: 'input_answer' }, 5000)).toMatchObject({ seq: 4 });
    expect(await stream.next({}, 10)).toBeNull();
  });
});
