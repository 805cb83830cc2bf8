/** An answer of an endpoint: server-sent events or, by Messages, one JSON where no stream was asked for. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StubDialect } from './openai-dialects.ts';
import type { Answer, Block, ModelRequest } from './turns.ts';

interface StreamEvent {
  type: string;
  [member: string]: unknown;
}

const usage = { input_tokens: 25, output_tokens: 12 };

export async function writeAnswer(
  response: ServerResponse,
  answer: Answer,
  { model, stream = false }: ModelRequest,
  /** Absent: Messages. */
  dialect?: StubDialect,
): Promise<void> {
  if (answer.type === 'error') {
    const { status, kind, message } = answer;
    // No delay is asked for, or a test would wait for it.
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify({ type: 'error', error: { type: kind, message } }));
    return;
  }
  if (!stream && dialect === undefined) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const content = answer.blocks;
    response.end(JSON.stringify({ ...messageOf(model), content, stop_reason: stopReason(content), usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const events =
    dialect === undefined
      ? eventsOf(answer.blocks, model).map(
          (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
        )
      : dialect.write(answer.blocks, model);
  const pauseMs = answer.type === 'message' ? answer.pauseMs : 0;
  for (const event of answer.type === 'cut' ? events.slice(0, 3) : events) {
    await sleep(pauseMs);
    response.write(event);
  }
  if (answer.type === 'cut') {
    response.destroy();
  } else {
    response.end();
  }
}

const messageOf = (model: string) => ({
  ...{ id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model },
  ...{ content: [], stop_reason: null, stop_sequence: null },
});

const stopReason = (blocks: readonly Block[]) =>
  blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';

function eventsOf(blocks: readonly Block[], model: string): StreamEvent[] {
  return [
    { type: 'message_start', message: { ...messageOf(model), usage: { ...usage, output_tokens: 1 } } },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: emptied(block) },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(blocks), stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ];
}

const emptied = (block: Block): Block =>
  block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };

/** In two halves, as a stream cuts text anywhere. */
function deltasOf(block: Block): Record<string, unknown>[] {
  const text = block.type === 'text' ? block.text : JSON.stringify(block.input);
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].map((part) =>
    block.type === 'text'
      ? { type: 'text_delta', text: part }
      : { type: 'input_json_delta', partial_json: part },
  );
}
