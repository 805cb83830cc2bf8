/** An answer of the endpoint: server-sent events, or one JSON where no stream was asked for. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StubDialect } from './stub-dialect.ts';
import type { Answer, ModelRequest } from './turns.ts';

export async function writeAnswer(
  response: ServerResponse,
  answer: Answer,
  dialect: StubDialect,
  request: ModelRequest,
): Promise<void> {
  if (answer.type === 'error') {
    // No delay is asked for, or a test would wait for it.
    response.writeHead(answer.status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify(dialect.error(answer)));
    return;
  }
  if (request.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(dialect.whole(answer.blocks, request)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const { frames, cutAfter } = dialect.frames(answer.blocks, request);
  const pauseMs = answer.type === 'message' ? answer.pauseMs : 0;
  for (const frame of answer.type === 'cut' ? frames.slice(0, cutAfter) : frames) {
    await sleep(pauseMs);
    // What was not written yet when the stream is cut would be lost with it.
    await new Promise((resolve) => response.write(frame, resolve));
  }
  if (answer.type === 'cut') {
    response.destroy();
  } else {
    response.end();
  }
}
