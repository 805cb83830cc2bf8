/** What an agent may ask for by Chat Completions. Pure; an allow-list, as that of the Messages API is. */
import * as z from 'zod';
import type { ModelRequest, RequestRules } from '../dialect.ts';
import {
  base64Bytes,
  dataUrl,
  grammar,
  maximumOf,
  mostWritten,
  namedFormat,
  noFileId,
  reasoningEffort,
  serviceTier,
} from '../openai/form.ts';
import { estimateInput, jsonSchema, ledPast, modelToAsk, parseRequestBody } from '../request-body.ts';

const text = z.string();
const textPart = z.object({ type: z.literal('text'), text });
const refusalPart = z.object({ type: z.literal('refusal'), refusal: text });
const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: dataUrl, detail: text.max(20).optional() }),
});
const audioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: base64Bytes, format: text.max(20) }),
});
const filePart = z.object({
  type: z.literal('file'),
  file: z.object({ file_data: dataUrl, filename: text.optional(), file_id: noFileId }),
});
const unknownPart =
  'must be a kind of content that goes through the platform: text, image_url, input_audio, file or refusal';
const part = z.discriminatedUnion(
  'type',
  [textPart, imagePart, audioPart, filePart, refusalPart],
  unknownPart,
);
const content = z.union([text, z.array(part)]);

const unknownCall =
  'must be "function" or "custom": only tools that the agent runs itself go through the platform';
const toolCall = z.discriminatedUnion(
  'type',
  [
    z.object({
      type: z.literal('function'),
      id: text,
      function: z.object({ name: text, arguments: text }),
    }),
    z.object({ type: z.literal('custom'), id: text, custom: z.object({ name: text, input: text }) }),
  ],
  unknownCall,
);

const message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: content.nullish(),
  name: text.optional(),
  refusal: text.nullish(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: text.optional(),
  /** What it thought, as some endpoints say it and want it back. */
  reasoning_content: text.nullish(),
  reasoning: text.nullish(),
  audio: z.null(ledPast('an answer that the endpoint keeps')).optional(),
});

const tool = z.discriminatedUnion(
  'type',
  [
    z.object({
      type: z.literal('function'),
      function: z.object({
        name: text,
        description: text.nullish(),
        parameters: jsonSchema.nullish(),
        strict: z.boolean().nullish(),
      }),
    }),
    z.object({
      type: z.literal('custom'),
      custom: z.object({
        name: text,
        description: text.nullish(),
        format: z
          .discriminatedUnion('type', [
            z.object({ type: z.literal('text') }),
            z.object({ type: z.literal('grammar'), grammar: z.object(grammar) }),
          ])
          .optional(),
      }),
    }),
  ],
  unknownCall,
);

const named = z.object({ name: text });
const choice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('function'), function: named }),
  z.object({ type: z.literal('custom'), custom: named }),
]);
const toolChoice = z.union([z.enum(['none', 'auto', 'required']), choice]);

const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({ type: z.literal('json_schema'), json_schema: z.object(namedFormat) }),
]);

const inTokens = 'must be absent: what is written in tokens cannot be searched for the key';
const earlier = 'must be absent: name functions as tools';
const requestBody = z.object({
  model: modelToAsk,
  messages: z.array(message),
  max_tokens: mostWritten,
  max_completion_tokens: mostWritten,
  n: z.literal(1, 'must be 1 or absent: more answers than one have no maximum').nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  stop: z.union([text, z.array(text)]).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  min_p: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  repetition_penalty: z.number().nullish(),
  seed: z.int().nullish(),
  logprobs: z.literal(false, inTokens).nullish(),
  top_logprobs: z.null(inTokens).optional(),
  response_format: responseFormat.nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning_effort: reasoningEffort,
  verbosity: text.max(20).nullish(),
  modalities: z.array(z.literal('text', 'must be "text": answers are texts')).nullish(),
  service_tier: serviceTier,
  /** Sent as it was given: some endpoints keep what does not say so, others refuse requests that do. */
  store: z.literal(false, 'must be false or absent: the endpoint keeps nothing').nullish(),
  web_search_options: z.null(ledPast('a search of the endpoint')).optional(),
  functions: z.null(earlier).optional(),
  function_call: z.null(earlier).optional(),
});

/** Throws ModelError, with the name of the field that is wrong. */
export function parseChatRequest(bytes: Buffer, rules: RequestRules): ModelRequest {
  const {
    web_search_options: _,
    functions: __,
    function_call: ___,
    max_tokens,
    max_completion_tokens,
    ...allowed
  } = parseRequestBody(bytes, requestBody, rules);
  const { stream, stream_options, messages } = allowed;
  const maxTokens = maximumOf([max_tokens, max_completion_tokens], rules.defaultMaxTokens);
  const isStreamed = stream === true;
  const body = Buffer.from(
    JSON.stringify({
      ...allowed,
      [rules.maximumField]: maxTokens,
      stream_options: isStreamed ? { include_usage: true } : undefined,
    }),
  );
  return {
    body,
    maxTokens,
    isStreamed,
    estimatedInput: estimateInput(body, messages.flatMap(sourcesIn)),
    wantsUsage: stream_options?.include_usage === true,
  };
}

/** The base64 texts in a message. */
function sourcesIn({ content: given }: z.infer<typeof message>): string[] {
  return (Array.isArray(given) ? given : []).flatMap((each) => {
    switch (each.type) {
      case 'image_url':
        return [each.image_url.url];
      case 'input_audio':
        return [each.input_audio.data];
      case 'file':
        return [each.file.file_data];
      default:
        return [];
    }
  });
}
