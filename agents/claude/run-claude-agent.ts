/**
 * An agent whose steps a model chooses, by the Claude Agent SDK
 * (docs/bring-your-own-agent.md#the-built-in-agent-claude).
 */
import { type ModelRun, runModelAgent } from '../model/run-model-agent.ts';
import type { ModelInput, Query, QueryOptions } from './sdk.ts';
import { readSdkMessage } from './sdk-messages.ts';

export interface ClaudeRun extends Omit<ModelRun, 'converse'> {
  query: Query;
  options: QueryOptions;
}

/** Returns the exit code, as `runModelAgent` does. */
export const runClaudeAgent = ({ query, options, ...run }: ClaudeRun): Promise<0 | 1> =>
  runModelAgent({
    ...run,
    async *converse({ texts, abortController }) {
      for await (const message of query({
        prompt: inputsOf(texts),
        options: { ...options, abortController },
      })) {
        yield* readSdkMessage(message);
      }
    },
  });

async function* inputsOf(texts: AsyncIterable<string>): AsyncGenerator<ModelInput> {
  for await (const content of texts) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
}
