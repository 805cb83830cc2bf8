/** The Messages API, as the stub speaks it. */
import { randomUUID } from 'node:crypto';
import { frame, halvesOf, type StubDialect, usage } from './stub-dialect.ts';
import { type Block, modelRequest } from './turns.ts';

interface StreamEvent {
  type: string;
  [member: string]: unknown;
}

export const messagesStub: StubDialect = {
  read: (body) => modelRequest.parse(body),
  frames: (blocks, { model }) => ({
    frames: eventsOf(blocks, model).map((event) => frame(event, event.type)),
    cutAfter: 3,
  }),
  whole: (content, { model }) => ({
    ...messageOf(model),
    ...{ content, stop_reason: stopReason(content), usage },
  }),
  error: ({ kind, message }) => ({ type: 'error', error: { type: kind, message } }),
};

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
      ...halvesOf(block).map((half) => ({
        ...{ type: 'content_block_delta', index },
        delta:
          block.type === 'text'
            ? { type: 'text_delta', text: half }
            : { type: 'input_json_delta', partial_json: half },
      })),
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
