/**
 * How a tool that the API runs is written: a schema for each direction, an example, and one function. The
 * sidecar of a session passes the call and its answer on (docs/platform-tools.md).
 */
import type { Logger } from 'pino';
import * as z from 'zod';
import type { ApiConfig } from '../../config/api.ts';
import { sentenceOfProblems } from '../../contract/errors.ts';
import type { PlatformToolAnswer, ToolAnnotations } from '../../contract/platform-tools.ts';
import type { Session } from '../../contract/session.ts';
import type { ByteBudget } from '../../lib/limits/byte-budget.ts';
import type { KeyedMutex } from '../../lib/limits/mutex.ts';
import { type Db, hasSqlState, sqlState } from '../../store/database.ts';
import { QuotaExceededError } from '../../store/quotas/quotas.ts';
import { SearchTimeoutError } from '../../store/vectors/exact-search.ts';
import type { EmbeddingServers } from '../embedding-provider/ask-provider.ts';
import type { WorkflowClient } from '../workflow-client.ts';
import type { ChildWaits } from './child-waits.ts';

export interface ToolDependencies {
  db: Db;
  config: ApiConfig;
  log: Logger;
  workflows: Pick<
    WorkflowClient,
    'startChannelMessage' | 'startServicePreview' | 'startSession' | 'signalSession'
  >;
  /** What embeds texts beyond the platform. */
  embeddingServers: EmbeddingServers;
  /**
   * Bytes of vectors that this process compares at the same time: whoever else uses it
   * has its turn in between.
   */
  searchBudget: ByteBudget;
  /** Of calls that wait for another session. */
  childWaits: ChildWaits;
  /** Orders work of this process that must not run beside other work of its key. */
  runExclusive: KeyedMutex;
}

/** The session whose agent calls. */
export type ToolCaller = Pick<Session, 'id' | 'workspace_id' | 'agent_id'>;

/** One call of its agent. */
export type ToolCall = ToolCaller & {
  /** The same when the call is sent again. */
  call_id: string;
  /** Where people reach the web UI; null where that is unknown. */
  link_origin: string | null;
};

/** Every code that a tool fails with, and what it tells the agent to do. */
export const failureCodes = {
  validation_failed: 'the arguments are not valid; the message names the field and its rule',
  not_found: 'something that the arguments name is not in this workspace',
  not_allowed: 'this agent may not do it, or not any more; the message says why',
  permission_required: 'a person has to allow it first: ask once, wait for the decision, then call again',
  not_configured: 'the operator of the platform has not set up what this needs; the message names it',
  limit_reached: 'the session or its workspace has as much as it may have; the message names the limit',
  embedding_failed: 'there is no vector of a text; the message says why',
  too_expensive: 'it took too long and was stopped; ask for less',
  too_large: 'the answer would be too large; ask for less',
  internal_error: 'the platform failed; it is logged there, and may be tried again',
} as const;
export type FailureCode = keyof typeof failureCodes;

/** A tool's refusal. The message is one sentence that says what to do. */
export class ToolFailure extends Error {
  override name = 'ToolFailure';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  /** For a model: what it does, when to use it, and what a reader of its answer has to know. */
  description: string;
  /** `openWorldHint`: it reaches who is not of this platform. */
  annotations: ToolAnnotations;
  /**
   * It may wait for something else to happen, so it takes no place of its workspace. It holds no connection
   * to the database meanwhile.
   */
  waits?: true;
  input: Input;
  output: Output;
  example: { input: z.input<Input>; output: z.input<Output> };
  /**
   * Throws ToolFailure for what the caller can change. It may be called again with the same call,
   * whose answer was lost: what it writes twice has to be the same as once. A tool that cannot be an
   * upsert stores the call's id.
   */
  run(input: z.output<Input>, caller: ToolCall, dependencies: ToolDependencies): Promise<z.input<Output>>;
}

export interface PlatformTool {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  waits?: true;
  input: z.ZodObject;
  output: z.ZodObject;
  example: { input: unknown; output: unknown };
  /** Never throws: a failure is an answer with a code and a sentence. */
  answer(given: unknown, caller: ToolCall, dependencies: ToolDependencies): Promise<PlatformToolAnswer>;
}

/**
 * An answer is in the agent's message twice, as text and as structured content; such a
 * message has 1 MiB at most.
 */
export const maxAnswerBytes = 384 * 1024;

/** A statement that reads what agents stored is stopped after it. */
export const readLimitMs = 4000;

/** Types a tool's function by its schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  run,
  ...tool
}: ToolDefinition<Input, Output>): PlatformTool {
  const output: z.ZodObject = tool.output;
  return {
    ...tool,
    async answer(given, caller, dependencies) {
      const parsed = tool.input.safeParse(given);
      if (!parsed.success) {
        return failed('validation_failed', sentenceOfProblems(parsed.error));
      }
      try {
        const result = output.parse(await run(parsed.data, caller, dependencies));
        return Buffer.byteLength(JSON.stringify(result)) > maxAnswerBytes
          ? failed('too_large', `The answer has more than ${maxAnswerBytes} bytes; ask for less`)
          : { status: 'ok', result };
      } catch (error) {
        return failureOf(error) ?? unexpected(error, tool.name, caller, dependencies.log);
      }
    },
  };
}

const failed = (code: FailureCode, message: string): PlatformToolAnswer => ({
  status: 'failed',
  code,
  message,
});

/** The answer for what was foreseen; null for anything else. */
function failureOf(error: unknown): PlatformToolAnswer | null {
  if (error instanceof ToolFailure) {
    return failed(error.code, error.message);
  }
  if (error instanceof QuotaExceededError) {
    const { message, retryAfterSeconds: seconds } = error;
    return failed('limit_reached', seconds === null ? message : `${message}; try again in ${seconds} s`);
  }
  return error instanceof SearchTimeoutError || hasSqlState(error, sqlState.queryCanceled)
    ? failed('too_expensive', 'This took too long, so it was stopped; ask for less, or try again later')
    : null;
}

/** The log is given the error's kind and place: its text may quote what an agent wrote. */
function unexpected(error: unknown, tool: string, caller: ToolCaller, log: Logger): PlatformToolAnswer {
  const { name, stack = '' } = error instanceof Error ? error : { name: typeof error, stack: '' };
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  log.error({ session_id: caller.id, tool, error: { name, code, frames } }, 'a platform tool failed');
  return failed('internal_error', 'The platform could not do this; try again later');
}

/** A tool as sidecars list it. */
export function listedTool({ name, title, description, annotations, input, output }: PlatformTool) {
  return {
    ...{ name, title, description, annotations },
    input_schema: shownSchema(input, 'input'),
    output_schema: shownSchema(output, 'output'),
  };
}

/** A schema as agents are shown it. What a format says already is not repeated as a pattern. */
export function shownSchema(schema: z.ZodObject, io: 'input' | 'output') {
  return {
    ...z.toJSONSchema(schema, {
      io,
      override({ jsonSchema }) {
        if (jsonSchema.format !== undefined) {
          delete jsonSchema.pattern;
        }
      },
    }),
    type: 'object' as const,
  };
}
