import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openInputStream } from '../../../agents/scripted/input-stream.ts';

it('preserves line separators inside a message', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'input-'));
  const socketPath = join(directory, 'sidecar.sock');
  const text = 'one\u2028two\u2029three\u0085four';
  const message = {
    id: 'a5a1c9a6-2b1c-4b52-9d4f-0a0d3c6f7f10',
    seq: 1,
    kind: 'user_message',
    text,
    decision: null,
    input_request_id: null,
    at: '2026-01-01T00:00:00.000Z',
  };
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`id: 1\nevent: message\ndata: ${JSON.stringify(message)}\n\n`);
  }).listen(socketPath);
  await once(server, 'listening');
  const stream = openInputStream(socketPath);
  try {
    expect(await stream.next('three', 5000)).toMatchObject({ seq: 1, text });
  } finally {
    stream.close();
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true });
  }
});
