/**
 * How a tool of the `platform` server is written: a schema for each direction and one function; and what an
 * agent does after one failed.
 */
import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { sentenceOfProblems } from '../../contract/errors.ts';
import { afterAsking } from '../../contract/how-to-ask.ts';
import type { ToolAnnotations } from '../../contract/platform-tools.ts';
import type { Semaphore } from '../../lib/limits/semaphore.ts';
import type { Inbox } from '../inputs/inbox.ts';
import { platformErrorKey } from '../json-rpc/answers.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { PlatformRefusal, PlatformUnreachable } from '../platform-api/request.ts';
import type { LastRefusals } from '../server-link/last-refusals.ts';
import type { RelayedTools } from './platform-server.ts';

export interface ToolDependencies {
  api: PlatformApi;
  inbox: Inbox;
  lastRefusals: LastRefusals;
  /** Whether a person drives the session. */
  hasOperator: boolean;
  inlineArtifactBytes: number;
  maxWaitSeconds: number;
  /** Tools that the API runs. */
  relayedTools: RelayedTools;
  /** Max bytes of a message to the agent. */
  lineBytes: number;
  /** Max tool calls waiting for a human at a time. */
  waits: Pick<Semaphore, 'tryAcquire'>;
}

/** A tool's refusal, with a code that an agent can act on. */
export class ToolFailure extends Error {
  override name = 'ToolFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface PlatformTool<Input extends z.ZodType, Output extends z.ZodType> {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: Output;
  /** Throws ToolFailure, or what the platform's interface throws. `signal`: the agent no longer waits. */
  run(input: z.output<Input>, dependencies: ToolDependencies, signal: AbortSignal): Promise<z.input<Output>>;
}

/** A tool as a server is given it. */
export interface ServedTool {
  name: string;
  register(server: McpServer, dependencies: ToolDependencies): void;
}

/** Types a tool's function by its schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: PlatformTool<Input, Output>,
): ServedTool {
  const { name, title, description, annotations, input, output } = tool;
  const outputSchema: z.ZodObject = output;
  const told = { title, description, annotations, inputSchema: shownAlone(input), outputSchema };
  return {
    name,
    register(server, dependencies) {
      server.registerTool(name, told, (given, context) =>
        toolResult(async () => {
          const parsed = input.safeParse(given);
          if (!parsed.success) {
            throw new ToolFailure('validation_failed', sentenceOfProblems(parsed.error));
          }
          return outputSchema.parse(await tool.run(parsed.data, dependencies, context.mcpReq.signal));
        }),
      );
    },
  };
}

/** A schema that the SDK shows and does not check: its own refusals have no code. */
const shownAlone = (schema: z.ZodObject): StandardSchemaWithJSON => ({
  '~standard': { ...schema['~standard'], validate: (value) => ({ value }) },
});

/**
 * Results leave as JSON text and as `structuredContent`; failures as an error result with code,
 * message and what to do next.
 */
export async function toolResult(work: () => Promise<Record<string, unknown>>): Promise<CallToolResult> {
  try {
    const result = await work();
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    return failureResult(error);
  }
}

function failureResult(error: unknown): CallToolResult {
  const { code, message } = failureOf(error);
  const failure = { code, message, next_steps: stepsAfter(code) };
  return {
    content: [{ type: 'text', text: JSON.stringify(failure) }],
    isError: true,
    _meta: { [platformErrorKey]: failure },
  };
}

function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof ToolFailure || error instanceof PlatformRefusal) {
    return { code: error.code, message: error.message };
  }
  if (error instanceof PlatformUnreachable) {
    return { code: 'unavailable', message: error.message };
  }
  return { code: 'internal_error', message: 'the platform could not do this' };
}

/** What an agent does after a failure. Each has an end, so that nobody repeats a call for ever. */
const giveUp = 'continue without it, or say what you cannot do.';
const correctOnce = [
  'Nothing was done. Correct what the message names, and make the call once more.',
  `If that is refused as well, ${giveUp}`,
];
const askForLess = ['Ask for less, once.', `If that fails as well, ${giveUp}`];
const onlyLater = [
  `Nothing was done. Only if the message says in how many seconds, make the call again once after that time: several messages as one. Otherwise do not repeat it as it is: ${giveUp}`,
];
const moreSlowly = [
  'Nothing was done. Do other work for ten seconds, then make one call at a time.',
  `If that is refused as well, ${giveUp}`,
];
const findOut = [
  'The call may have taken effect: find out before you make it again, once, after ten seconds.',
  `If that fails as well, ${giveUp}`,
];

const stepsByCode = new Map<string, readonly string[]>([
  ['permission_required', ['Nothing was done. Ask as the message says.', ...afterAsking]],
  ['validation_failed', correctOnce],
  ['invalid_request', correctOnce],
  ['limit_reached', onlyLater],
  ['rate_limited', moreSlowly],
  ['too_large', askForLess],
  ['too_expensive', askForLess],
  ['internal_error', findOut],
  ['unavailable', findOut],
]);

/** Of every other code, also of one that a later release of the API adds. */
const notAgain = [`Do not repeat the call: ${giveUp}`];

export const stepsAfter = (code: string): readonly string[] => stepsByCode.get(code) ?? notAgain;
