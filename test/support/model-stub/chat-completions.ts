/** Chat Completions, as the stub speaks it: the pieces of parallel calls take turns. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { frame, halvesOf, openaiError, type StubDialect, textOf, usage } from './stub-dialect.ts';
import type { Block, ModelRequest } from './turns.ts';

const content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .nullish()
  .transform((given) => given ?? '');
const body = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).optional(),
  tools: z
    .array(z.object({ function: z.object({ name: z.string(), description: z.string().optional() }) }))
    .default([]),
  messages: z.array(z.looseObject({ role: z.string(), content, tool_call_id: z.string().optional() })),
});

export const chatCompletionsStub: StubDialect = {
  read(given) {
    const { model, stream, stream_options, tools, messages } = body.parse(given);
    const isOfSystem = (role: string) => role === 'system' || role === 'developer';
    return {
      ...{ model, stream, wants_usage: stream_options?.include_usage === true },
      system: messages.filter(({ role }) => isOfSystem(role)).map((each) => ({ text: joined(each.content) })),
      tools: tools.map((each) => each.function),
      messages: messages
        .filter(({ role }) => !isOfSystem(role))
        .map(({ role, content: said, tool_call_id: tool_use_id }) =>
          role === 'tool'
            ? { role: 'user', content: [{ type: 'tool_result', tool_use_id, content: said }] }
            : { role, content: said },
        ),
    };
  },
  frames(blocks, request) {
    const begin = chunkOf(request, { role: 'assistant', content: '' });
    const tools = blocks.filter(({ type }) => type === 'tool_use');
    const starts = tools.map((block, index) =>
      chunkOf(request, {
        tool_calls: [{ index, ...callOf(block), function: { ...named(block), arguments: '' } }],
      }),
    );
    const pieces = [0, 1].flatMap((half) =>
      tools.map((block, index) =>
        chunkOf(request, { tool_calls: [{ index, function: { arguments: halvesOf(block)[half] } }] }),
      ),
    );
    const texts = blocks
      .filter(({ type }) => type === 'text')
      .flatMap(halvesOf)
      .map((half) => chunkOf(request, { content: half }));
    const end = chunkOf(request, {}, finishReason(blocks));
    const told = { ...chunkOf(request, {}), choices: [], usage: chatUsage };
    const chunks = [begin, ...texts, ...starts, ...pieces, end, ...(request['wants_usage'] ? [told] : [])];
    return {
      frames: [...chunks.map((each) => frame(each)), frame('[DONE]')],
      cutAfter: texts.length > 0 ? 2 : 2 + starts.length,
    };
  },
  whole(blocks, request) {
    const calls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({ ...callOf(block), function: { ...named(block), arguments: textOf(block) } }));
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    const message = {
      ...{ role: 'assistant', content: text === '' ? null : text },
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      ...{ ...chunkOf(request, {}), object: 'chat.completion' },
      choices: [{ index: 0, message, finish_reason: finishReason(blocks) }],
      usage: chatUsage,
    };
  },
  error: openaiError,
};

const joined = (said: z.infer<typeof content>): string =>
  typeof said === 'string' ? said : said.map(({ text = '' }) => text).join('\n');

const chatUsage = {
  prompt_tokens: usage.input_tokens,
  completion_tokens: usage.output_tokens,
  total_tokens: usage.input_tokens + usage.output_tokens,
};

const chunkOf = ({ model }: ModelRequest, delta: object, finish_reason: string | null = null) => ({
  ...{ id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk', created: 1, model },
  choices: [{ index: 0, delta, finish_reason }],
});

const callOf = (block: Block) => ({ id: block.type === 'tool_use' ? block.id : '', type: 'function' });
const named = (block: Block) => ({ name: block.type === 'tool_use' ? block.name : '' });
const finishReason = (blocks: readonly Block[]) =>
  blocks.some(({ type }) => type === 'tool_use') ? 'tool_calls' : 'stop';
