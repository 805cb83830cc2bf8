/** An agent whose steps a model chooses, by the Claude Agent SDK (docs/bring-your-own-agent.md#the-built-in-agent-claude). */
import type { AgentConfig, AgentEventInput } from '../../contract/agent-contract.ts';
import { publishEvent } from '../sidecar-http/publish-event.ts';
import { readInput } from '../sidecar-http/read-input.ts';
import { createModelInputs } from './model-inputs.ts';
import { createOpenMatters } from './open-matters.ts';
import { createStepEvents } from './publish-steps.ts';
import type { Query, QueryOptions } from './sdk.ts';
import { type RunStep, readSdkMessage } from './sdk-messages.ts';

export interface ClaudeRun {
  config: AgentConfig;
  sidecarSocket: string;
  query: Query;
  options: QueryOptions;
}

/**
 * Runs to the end: until the model ended the session or, where nobody drives it, until a turn ended and nothing is awaited. Returns the exit
 * code: 1 where it came to no such end.
 */
export async function runClaudeAgent({ config, sidecarSocket, query, options }: ClaudeRun): Promise<0 | 1> {
  const matters = createOpenMatters();
  const inputs = createModelInputs(config.prompt, matters);
  const eventsOf = createStepEvents();
  const hasOperator = config.has_operator ?? true;
  const abortController = new AbortController();
  let published = Promise.resolve();
  const publish = (event: AgentEventInput) => {
    published = published.then(() => publishEvent(sidecarSocket, event));
  };
  let exitCode: 0 | 1 | null = null;
  const take = (step: RunStep) => {
    if (matters.hasEnded()) {
      return;
    }
    matters.take(step);
    eventsOf(step).forEach(publish);
    inputs.releaseHeld();
    if (matters.hasEnded()) {
      exitCode = 0;
      // The end of the session would cut off the request that comes next.
      abortController.abort();
      return;
    }
    const isIdle = step.type === 'turn_ended' && step.queued === 0 && inputs.unread() === 0;
    if (isIdle && !hasOperator && !matters.isWaiting()) {
      // A message that the SDK took in this moment still has its turn, and ends the run instead.
      exitCode = step.error === null ? 0 : 1;
      inputs.end();
    }
  };
  const messages = readInput(sidecarSocket, inputs.add);
  try {
    for await (const message of query({ prompt: inputs.prompt, options: { ...options, abortController } })) {
      readSdkMessage(message).forEach(take);
    }
  } catch (error) {
    // At an end that it came to, the SDK throws as well: that it was aborted, or that the last turn failed.
    if (exitCode === null) {
      publish(cannotContinue(error));
    }
  } finally {
    messages.close();
    await published;
  }
  return exitCode ?? 1;
}

const cannotContinue = (error: unknown): AgentEventInput => ({
  type: 'agent.error',
  payload: {
    message: `The agent cannot continue: ${error instanceof Error ? error.message : String(error)}`.slice(
      0,
      10_000,
    ),
    code: null,
    fatal: true,
  },
});
