/** Responses, as the stub speaks it; a tool of a namespace is called by both names. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { frame, halvesOf, openaiError, type StubDialect, textOf, usage } from './stub-dialect.ts';
import type { Block, ModelRequest } from './turns.ts';

const content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .nullish()
  .transform((given) => given ?? '');
/** Those of the endpoint itself have no name. */
const tool = z.looseObject({
  type: z.string(),
  name: z.string().default(''),
  description: z.string().optional(),
});
const tools = z.array(tool.extend({ tools: z.array(tool).default([]) })).default([]);
const item = z.looseObject({
  type: z.string().default('message'),
  role: z.string().default('assistant'),
  content,
  output: content,
  call_id: z.string().optional(),
  tools,
});
const body = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  instructions: z.string().default(''),
  input: z.union([z.string(), z.array(item)]),
  tools,
});

export const responsesStub: StubDialect = {
  read(given) {
    const { model, stream, instructions, input, tools: told } = body.parse(given);
    const items = typeof input === 'string' ? [item.parse({ role: 'user', content: input })] : input;
    return {
      ...{ model, stream, system: instructions },
      tools: [...told, ...items.flatMap((each) => each.tools)].flatMap(flatTools),
      messages: items.flatMap(messageOf),
    };
  },
  frames(blocks, request) {
    const response = responseOf(request);
    const output = blocks.map((block) => itemOf(block, request));
    const events: StreamEvent[] = [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
      ...output.flatMap((each, index) => eventsOf(each, blocks[index], index)),
      { type: 'response.completed', response: completed(response, output) },
    ];
    return {
      frames: events.map((event, sequence_number) => frame({ ...event, sequence_number }, event.type)),
      cutAfter: blocks[0]?.type === 'text' ? 5 : 4,
    };
  },
  whole: (blocks, request) =>
    completed(
      responseOf(request),
      blocks.map((block) => itemOf(block, request)),
    ),
  error: openaiError,
};

const flatTools = ({ name, description, tools: inner }: z.infer<typeof tools>[number]) =>
  inner.length === 0
    ? [{ name, description }]
    : inner.map((each) => ({
        ...{ name: `${name}__${each.name}`, namespace: name, description: each.description },
      }));

function messageOf({ type, role, content: said, output, call_id }: z.infer<typeof item>) {
  if (type === 'message') {
    return role === 'system' || role === 'developer' ? [] : [{ role, content: asText(said) }];
  }
  if (type === 'function_call') {
    return [{ role: 'assistant', content: '' }];
  }
  return type.endsWith('_output')
    ? [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: call_id, content: output }] }]
    : [];
}

/** As in the Messages API. */
const asText = (said: z.infer<typeof content>) =>
  typeof said === 'string' ? said : said.map((part) => ({ ...part, type: 'text' }));

const responseOf = ({ model }: ModelRequest) => ({
  ...{ id: `resp_${randomUUID()}`, object: 'response', created_at: 1, status: 'in_progress' },
  ...{ model, output: [] as object[], usage: null },
});
const completed = (response: object, output: readonly object[]) => ({
  ...response,
  ...{ status: 'completed', output },
  usage: { ...usage, total_tokens: usage.input_tokens + usage.output_tokens },
});

interface StreamEvent {
  type: string;
  [member: string]: unknown;
}

type Item = ReturnType<typeof itemOf>;

function itemOf(block: Block, { tools: known = [] }: ModelRequest) {
  if (block.type === 'text') {
    return {
      ...{ type: 'message' as const, id: `msg_${randomUUID()}`, status: 'completed', role: 'assistant' },
      content: [{ type: 'output_text', text: block.text, annotations: [] }],
    };
  }
  const { namespace } = known.find(({ name }) => name === block.name) ?? {};
  return {
    ...{ type: 'function_call' as const, id: `fc_${randomUUID()}`, status: 'completed', call_id: block.id },
    ...(namespace === undefined
      ? { name: block.name }
      : { namespace, name: block.name.slice(namespace.length + 2) }),
    arguments: textOf(block),
  };
}

function eventsOf(item: Item, block: Block | undefined, output_index: number): StreamEvent[] {
  const at = { item_id: item.id, output_index };
  const halves = block === undefined ? [] : halvesOf(block);
  const begin = { type: 'response.output_item.added', output_index, item: emptied(item) };
  const end = { type: 'response.output_item.done', output_index, item };
  if (item.type === 'function_call') {
    const type = 'response.function_call_arguments';
    return [
      begin,
      ...halves.map((delta) => ({ type: `${type}.delta`, ...at, delta })),
      { type: `${type}.done`, ...at, arguments: item.arguments },
      end,
    ];
  }
  const place = { ...at, content_index: 0 };
  const [part = { text: '' }] = item.content;
  return [
    begin,
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...halves.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_text.done', ...place, text: part.text },
    { type: 'response.content_part.done', ...place, part },
    end,
  ];
}

const emptied = (item: Item) => ({
  ...item,
  status: 'in_progress',
  ...(item.type === 'message' ? { content: [] } : { arguments: '' }),
});
