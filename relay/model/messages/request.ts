/**
 * A request of the agent as it is sent on: rebuilt from what is allowed, so that the endpoint reads
 * exactly what was checked. Pure.
 */
import * as z from 'zod';
import type { ModelRequest, RequestRules } from '../dialect.ts';
import {
  tokenCount as count,
  estimateInput,
  jsonSchema,
  ledPast,
  modelToAsk,
  parseRequestBody,
} from '../request-body.ts';
import { anyObject, cacheControl, message, textBlock } from './content.ts';

/** An agent may tell a model of its own tools, which it runs itself. */
const tool = z.object({
  type: z
    .literal(
      'custom',
      'must be "custom" or absent: only tools that the agent runs itself go through the platform',
    )
    .nullish(),
  name: z.string(),
  description: z.string().optional(),
  input_schema: jsonSchema,
  strict: z.boolean().nullish(),
  eager_input_streaming: z.boolean().nullish(),
  input_examples: z.array(anyObject).optional(),
  cache_control: cacheControl,
});

const toolChoice = z.object({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: z.string().optional(),
  disable_parallel_tool_use: z.boolean().optional(),
});

const format = z.object({ type: z.literal('json_schema'), schema: jsonSchema }).nullish();

/** What is left out of old turns; not what is summarized, which would use tokens that no answer counts. */
const contextEdit = z.object({
  type: z.string().regex(/^clear_[a-z0-9_]{1,60}$/, 'must be a kind of edit that clears something'),
  trigger: z.object({ type: z.string(), value: count.optional() }).nullish(),
  keep: z.union([z.string(), z.object({ type: z.string(), value: count.optional() })]).nullish(),
  clear_at_least: z.object({ type: z.string(), value: count.optional() }).nullish(),
  exclude_tools: z.array(z.string()).nullish(),
  clear_tool_inputs: z.union([z.boolean(), z.array(z.string())]).nullish(),
});

const requestBody = z.object({
  model: modelToAsk,
  max_tokens: count,
  messages: z.array(message),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  temperature: z.number().nullish(),
  top_k: z.int().nullish(),
  top_p: z.number().nullish(),
  metadata: z.object({ user_id: z.string().max(1000).nullish() }).nullish(),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  thinking: z
    .object({
      type: z.enum(['enabled', 'disabled', 'adaptive']),
      budget_tokens: count.optional(),
      display: z.string().nullish(),
    })
    .optional(),
  cache_control: cacheControl,
  output_config: z
    .object({
      effort: z.string().nullish(),
      format,
      task_budget: z.object({ type: z.string(), total: count, remaining: count.nullish() }).nullish(),
    })
    .optional(),
  output_format: format,
  context_management: z.object({ edits: z.array(contextEdit).optional() }).nullish(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  mcp_servers: z.array(z.never()).max(0, ledPast('an MCP connector')).nullish(),
  container: z.null(ledPast('a container of the endpoint')).optional(),
});

/** Throws ModelError, with the name of the field that is wrong. */
export function parseMessagesRequest(bytes: Buffer, rules: RequestRules): ModelRequest {
  const { mcp_servers: _, container: __, ...allowed } = parseRequestBody(bytes, requestBody, rules);
  const body = Buffer.from(JSON.stringify(allowed));
  const sources = allowed.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : sourcesIn(content),
  );
  return {
    body,
    maxTokens: allowed.max_tokens,
    isStreamed: allowed.stream === true,
    estimatedInput: estimateInput(body, sources),
    wantsUsage: true,
  };
}

type Blocks = Exclude<z.infer<typeof message>['content'], string>;

/** The base64 texts in some blocks. */
function sourcesIn(blocks: Blocks): string[] {
  return blocks.flatMap((block) => {
    if (block.type === 'tool_result') {
      return Array.isArray(block.content) ? sourcesIn(block.content) : [];
    }
    const isSource = block.type === 'image' || block.type === 'document';
    return isSource && block.source.type === 'base64' ? [block.source.data] : [];
  });
}
