/**
 * Chat Completions and Responses for the stub of a model: what is asked by them, in the form of Messages that
 * scripts read, and an answer of a script as the stream of that dialect.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type Block, type ModelRequest, modelRequest } from './turns.ts';

export interface StubDialect {
  read(body: unknown): ModelRequest;
  /** The events of a stream, as they are written. */
  write(blocks: readonly Block[], model: string): string[];
}

const text = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();
type Text = z.infer<typeof text>;
const textOf = (content: Text): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');
const textBlocks = (content: Text) =>
  textOf(content) === '' ? [] : [{ type: 'text', text: textOf(content) }];
const used = (id: string, name: string) => ({ type: 'tool_use', id, name });
const given = (id: string, content: Text) => [
  { type: 'tool_result', tool_use_id: id, content: textOf(content) },
];

const chatBody = z.looseObject({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: text,
      tool_call_id: z.string().optional(),
      tool_calls: z.array(z.object({ id: z.string(), function: z.object({ name: z.string() }) })).default([]),
    }),
  ),
  tools: z
    .array(z.object({ function: z.object({ name: z.string(), description: z.string().optional() }) }))
    .optional(),
});

const chatUsage = { prompt_tokens: 25, completion_tokens: 12, total_tokens: 37 };

const chat: StubDialect = {
  read(body) {
    const { messages, tools, ...rest } = chatBody.parse(body);
    return modelRequest.parse({
      ...rest,
      ...(tools === undefined ? {} : { tools: tools.map((each) => each.function) }),
      messages: messages.map(({ role, content, tool_call_id: answered, tool_calls: calls }) =>
        answered === undefined
          ? {
              role,
              content: [...textBlocks(content), ...calls.map(({ id, function: { name } }) => used(id, name))],
            }
          : { role: 'user', content: given(answered, content) },
      ),
    });
  },
  write(blocks, model) {
    const chunk = (choices: object[], rest: object = {}) =>
      dataLine({
        ...{ id: 'chatcmpl_1', object: 'chat.completion.chunk', created: 1, model, choices },
        ...rest,
      });
    const delta = (part: object, reason: string | null = null) =>
      chunk([{ index: 0, delta: part, finish_reason: reason }]);
    const calls = blocks.filter((block) => block.type === 'tool_use');
    return [
      delta({ role: 'assistant', content: '' }),
      ...blocks.flatMap((block) =>
        (block.type === 'text' ? halves(block.text) : []).map((content) => delta({ content })),
      ),
      ...calls.flatMap(({ id, name, input }, index) => {
        const part = (rest: object) => delta({ tool_calls: [{ index, ...rest }] });
        return [
          part({ id, type: 'function', function: { name, arguments: '' } }),
          ...halves(JSON.stringify(input)).map((half) => part({ function: { arguments: half } })),
        ];
      }),
      delta({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      chunk([], { usage: chatUsage }),
      'data: [DONE]\n\n',
    ];
  },
};

const responsesTools = z
  .array(
    z.looseObject({
      type: z.string(),
      name: z.string().default(''),
      tools: z.array(z.looseObject({ name: z.string(), description: z.string().optional() })).default([]),
    }),
  )
  .default([]);
const responsesBody = z.looseObject({
  instructions: z.string().optional(),
  input: z.array(
    z.looseObject({
      type: z.string().default('message'),
      role: z.string().default('user'),
      content: text,
      call_id: z.string().default(''),
      name: z.string().default(''),
      namespace: z.string().optional(),
      output: text,
      /** Some models get them as an item. */
      tools: responsesTools,
    }),
  ),
  tools: responsesTools,
});
type ResponsesItem = z.infer<typeof responsesBody>['input'][number];

/** A tool of a namespace as one name, which no name of a tool has by itself. */
const joint = '::';
const fullName = (name: string, namespace?: string) =>
  namespace === undefined ? name : `${namespace}${joint}${name}`;

function messageOfItem({
  type,
  role,
  content,
  call_id: id,
  name,
  namespace,
  output,
}: ResponsesItem): object[] {
  switch (type) {
    case 'message':
      return [{ role, content: textBlocks(content) }];
    case 'function_call':
      return [{ role: 'assistant', content: [used(id, fullName(name, namespace))] }];
    case 'function_call_output':
      return [{ role: 'user', content: given(id, output) }];
    default:
      return [];
  }
}

const responses: StubDialect = {
  read(body) {
    const { instructions, input, tools, ...rest } = responsesBody.parse(body);
    return modelRequest.parse({
      ...rest,
      system: instructions,
      tools: [...tools, ...input.flatMap((item) => item.tools)].flatMap(({ type, name, tools: inside }) =>
        type === 'namespace'
          ? inside.map((each) => ({ name: fullName(each.name, name), description: each.description }))
          : [{ name }],
      ),
      messages: input.flatMap(messageOfItem),
    });
  },
  write(blocks, model) {
    const id = `resp_${randomUUID()}`;
    const items = blocks.map(itemOf);
    const usage = {
      ...{ input_tokens: 25, input_tokens_details: { cached_tokens: 0 } },
      ...{ output_tokens: 12, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 37 },
    };
    const response = (status: string, rest: object) => ({ id, object: 'response', model, status, ...rest });
    const events = [
      { type: 'response.created', response: response('in_progress', { output: [] }) },
      ...items.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item },
        ...('content' in item
          ? halves(item.content[0]?.text ?? '').map((delta) => ({
              ...{ type: 'response.output_text.delta', item_id: item.id, output_index, content_index: 0 },
              delta,
            }))
          : []),
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: 'response.completed', response: response('completed', { output: items, usage }) },
    ];
    return events.map((event) => `event: ${event.type}\n${dataLine(event)}`);
  },
};

function itemOf(block: Block) {
  if (block.type === 'text') {
    const content = [{ type: 'output_text', text: block.text, annotations: [] }];
    return { type: 'message', id: `msg_${randomUUID()}`, role: 'assistant', status: 'completed', content };
  }
  const [name = '', namespace] = block.name.split(joint).toReversed();
  return {
    ...{ type: 'function_call', id: `fc_${block.id}`, call_id: block.id, status: 'completed' },
    ...{ name, ...(namespace === undefined ? {} : { namespace }), arguments: JSON.stringify(block.input) },
  };
}

const dataLine = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** As a stream cuts text anywhere. */
function halves(whole: string): string[] {
  const half = Math.ceil(whole.length / 2);
  return [whole.slice(0, half), whole.slice(half)];
}

/** By the path that each is asked at. */
export const stubDialects: ReadonlyMap<string, StubDialect> = new Map([
  ['/v1/chat/completions', chat],
  ['/v1/responses', responses],
]);
