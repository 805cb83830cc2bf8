/** What an agent may ask for by Responses: everything is in the request, and nothing is kept. Pure. */
import * as z from 'zod';
import type { ModelRequest, RequestRules } from '../dialect.ts';
import { maximumOf, mostWritten, namedFormat, reasoningEffort, serviceTier } from '../openai/form.ts';
import { estimateInput, ledPast, modelToAsk, parseRequestBody } from '../request-body.ts';
import { type Item, input, type Part, toolChoice, tools } from './items.ts';

const word = z.string().max(40).nullish();
const kept = 'must be absent: the endpoint keeps nothing';

const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({ type: z.literal('json_schema'), ...namedFormat }),
]);

const requestBody = z.object({
  model: modelToAsk,
  input,
  instructions: z.string().nullish(),
  max_output_tokens: mostWritten,
  stream: z.boolean().nullish(),
  tools: tools.nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z
    .object({ effort: reasoningEffort, summary: word, generate_summary: word, context: word })
    .nullish(),
  text: z.object({ format: format.nullish(), verbosity: word }).nullish(),
  include: z
    .array(z.literal('reasoning.encrypted_content', 'must be "reasoning.encrypted_content"'))
    .nullish(),
  prompt_cache_key: z.string().max(200).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  service_tier: serviceTier,
  store: z.literal(false, 'must be false or absent: the endpoint keeps nothing').nullish(),
  background: z.literal(false, 'must be false or absent: nobody would count it').nullish(),
  previous_response_id: z.null(kept).optional(),
  conversation: z.null(kept).optional(),
  prompt: z.null(ledPast('a prompt of the endpoint')).optional(),
});

/** Throws ModelError, with the name of the field that is wrong. */
export function parseResponsesRequest(bytes: Buffer, rules: RequestRules): ModelRequest {
  const {
    background: _,
    previous_response_id: __,
    conversation: ___,
    prompt: ____,
    ...allowed
  } = parseRequestBody(bytes, requestBody, rules);
  const maxTokens = maximumOf([allowed.max_output_tokens], rules.defaultMaxTokens);
  // An endpoint that is not told otherwise keeps what it was asked and what it answered.
  const body = Buffer.from(JSON.stringify({ ...allowed, max_output_tokens: maxTokens, store: false }));
  const items = typeof allowed.input === 'string' ? [] : allowed.input;
  return {
    body,
    maxTokens,
    isStreamed: allowed.stream === true,
    estimatedInput: estimateInput(body, items.flatMap(partsOf).flatMap(sourceOf)),
    wantsUsage: true,
  };
}

function partsOf(item: Item): Part[] {
  const content = 'output' in item ? item.output : item.type === 'message' ? item.content : '';
  return typeof content === 'string' ? [] : content;
}

function sourceOf(part: Part): string[] {
  if (part.type === 'input_image') {
    return [part.image_url];
  }
  return part.type === 'input_file' ? [part.file_data] : [];
}
