/**
 * The part of the Claude Agent SDK that this agent uses, in types of its own: the SDK is a package
 * of its own, which most installations do not have (docs/decisions/0057).
 * `npm run claude:typecheck` compares the two.
 */
import * as z from 'zod';
import type { AgentConfig } from '../../contract/agent-contract.ts';

/** What the model is told next. */
export interface ModelInput {
  type: 'user';
  message: { role: 'user'; content: string };
  parent_tool_use_id: null;
}

export interface QueryOptions {
  systemPrompt: string;
  model?: string;
  mcpServers: AgentConfig['mcpServers'];
  strictMcpConfig: true;
  /** Of its own tools, those that the model sees. */
  tools: string[];
  /** What may be called without a prompt. */
  allowedTools: string[];
  disallowedTools: string[];
  permissionMode: 'dontAsk';
  settingSources: [];
  persistSession: false;
  /** Also what the model has written so far. */
  includePartialMessages: true;
  verbatimPrompts: true;
  env: Record<string, string | undefined>;
  stderr(text: string): void;
}

/**
 * Runs until the prompt ends, or it is aborted, at which it throws; what it says is
 * parsed by `readSdkMessage`.
 */
export type Query = (of: {
  prompt: AsyncIterable<ModelInput>;
  options: QueryOptions & { abortController: AbortController };
}) => AsyncIterable<unknown>;

const sdkModule = z.object({
  query: z.custom<Query>((value) => typeof value === 'function', 'the SDK has no function query'),
});

/** Found beside this file, or beside the bundled program; a name that no bundler follows. */
const packageName: string = '@anthropic-ai/claude-agent-sdk';

/** Throws when the package is not installed. */
export async function loadSdk(): Promise<Query> {
  return sdkModule.parse(await import(packageName)).query;
}
