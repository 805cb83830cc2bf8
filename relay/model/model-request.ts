/** A request of the agent as it is sent on: rebuilt from what is allowed, so that the endpoint reads exactly what was checked. Pure. */
import * as z from 'zod';
import { fieldPath } from '../../contract/errors.ts';
import { parseBoundedJson } from '../../lib/outbound/bounded-json.ts';
import { cacheControl, message, textBlock } from './message-content.ts';
import { ModelError } from './model-error.ts';
import { jsonSchema, tool, toolChoice } from './model-tools.ts';

const none = (what: string) => `must be absent: ${what} would lead past the platform`;
const count = z.int().min(0).max(1_000_000_000);
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
  model: z.string().min(1).max(200),
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
  mcp_servers: z.array(z.never()).max(0, none('an MCP connector')).nullish(),
  container: z.null(none('a container of the endpoint')).optional(),
});

export interface ModelRequest {
  /** As it is sent. */
  body: Buffer;
  model: string;
  maxTokens: number;
  isStreamed: boolean;
  /** What its input may take, for when nobody says what it took. */
  estimatedInput: number;
}

export interface RequestRules {
  /** Which may be asked; none named: any. */
  models: readonly string[];
  bodyValues: number;
}

/** Throws ModelError, with the name of the field that is wrong. */
export function parseModelRequest(bytes: Buffer, { models, bodyValues }: RequestRules): ModelRequest {
  const json = parseBoundedJson(bytes, bodyValues);
  if ('problem' in json) {
    throw invalid(`The request ${json.problem}`);
  }
  const parsed = requestBody.safeParse(json.value);
  if (!parsed.success) {
    throw invalid(firstProblem(parsed.error.issues));
  }
  const { mcp_servers: _, container: __, ...allowed } = parsed.data;
  const { model, max_tokens: maxTokens, stream } = allowed;
  if (models.length > 0 && !models.includes(model)) {
    const named = models.join(', ');
    throw new ModelError('invalid_request_error', `model: this agent may ask ${named} alone`, {
      mayRetry: false,
    });
  }
  const body = Buffer.from(JSON.stringify(allowed));
  return {
    body,
    model,
    maxTokens,
    isStreamed: stream === true,
    estimatedInput: estimateInput(allowed, body),
  };
}

const invalid = (why: string) => new ModelError('invalid_request_error', why);

/** Of what may be a text or a list, the list is what is wrong when it is one. */
function firstProblem([issue]: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): string {
  if (issue === undefined) {
    return 'the request: is not valid';
  }
  const path = [...prefix, ...issue.path];
  const meant =
    issue.code === 'invalid_union'
      ? issue.errors.find((branch) =>
          branch.every(({ code, path: at }) => code !== 'invalid_type' || at.length > 0),
        )
      : undefined;
  return meant === undefined
    ? `${fieldPath(path) || 'the request'}: ${issue.message}`
    : firstProblem(meant, path);
}

/** Text has about four bytes a token; of images and documents the size says less. */
const bytesPerToken = 4;
const base64BytesPerToken = 20;
const tokensPerSource = 2000;

function estimateInput({ messages }: Pick<z.infer<typeof requestBody>, 'messages'>, body: Buffer): number {
  const sources = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : sourcesIn(content)));
  const sourceBytes = sources.reduce((sum, { length }) => sum + length, 0);
  return Math.ceil(
    (body.length - sourceBytes) / bytesPerToken +
      sourceBytes / base64BytesPerToken +
      sources.length * tokensPerSource,
  );
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
