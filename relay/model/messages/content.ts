/**
 * What an agent may send a model as messages. An allow-list, at every level: a field that is not here is left
 * out, a block that is not here is refused. Everything is in the request itself; nothing makes the endpoint
 * fetch, run or keep anything. Pure.
 */
import * as z from 'zod';
import { isObject } from '../request-body.ts';

const text = z.string();
/** Of any members. */
export const anyObject = z.custom<Record<string, unknown>>(isObject, 'must be an object');

export const cacheControl = z
  .object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish();
const cached = { cache_control: cacheControl };

const noOtherSource = 'must be within the request: the model is given nothing by address or by file';
const base64Source = z.object({ type: z.literal('base64'), media_type: text, data: text });

/**
 * In an answer of the model that is sent back to it: where its words came from, in what the agent had sent.
 */
const citation = z.object({
  type: z.enum(['char_location', 'page_location', 'content_block_location', 'search_result_location']),
  cited_text: text,
  document_index: z.int().optional(),
  document_title: text.nullish(),
  source: text.optional(),
  title: text.nullish(),
  search_result_index: z.int().optional(),
  start_char_index: z.int().optional(),
  end_char_index: z.int().optional(),
  start_page_number: z.int().optional(),
  end_page_number: z.int().optional(),
  start_block_index: z.int().optional(),
  end_block_index: z.int().optional(),
});

export const textBlock = z.object({
  type: z.literal('text'),
  text,
  citations: z.array(citation).nullish(),
  ...cached,
});

const imageBlock = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [base64Source], noOtherSource),
  ...cached,
});

const citations = z.object({ enabled: z.boolean().optional() }).nullish();
const documentBlock = z.object({
  type: z.literal('document'),
  source: z.discriminatedUnion(
    'type',
    [
      base64Source,
      z.object({ type: z.literal('text'), media_type: text, data: text }),
      z.object({
        type: z.literal('content'),
        content: z.union([text, z.array(z.discriminatedUnion('type', [textBlock, imageBlock]))]),
      }),
    ],
    noOtherSource,
  ),
  title: text.nullish(),
  context: text.nullish(),
  citations,
  ...cached,
});

/** Of a search that the agent made; its `source` is a text that is shown, and nothing that is fetched. */
const searchResultBlock = z.object({
  type: z.literal('search_result'),
  source: text,
  title: text,
  content: z.array(textBlock),
  citations,
  ...cached,
});

const unknownBlock =
  'must be a kind of content that goes through the platform: text, image, document, search_result, tool_use, tool_result, thinking or redacted_thinking';

const toolUseBlock = z.object({
  type: z.literal('tool_use'),
  id: text,
  name: text,
  input: anyObject,
  ...cached,
});

const toolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: text,
  is_error: z.boolean().nullish(),
  content: z
    .union([
      text,
      z.array(
        z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, searchResultBlock], unknownBlock),
      ),
    ])
    .nullish(),
  ...cached,
});

const thinkingBlock = z.object({ type: z.literal('thinking'), thinking: text, signature: text });
const redactedThinkingBlock = z.object({ type: z.literal('redacted_thinking'), data: text });

const block = z.discriminatedUnion(
  'type',
  [
    textBlock,
    imageBlock,
    documentBlock,
    searchResultBlock,
    toolUseBlock,
    toolResultBlock,
    thinkingBlock,
    redactedThinkingBlock,
  ],
  unknownBlock,
);

export const message = z.object({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([text, z.array(block)]),
});
