/** An agent whose steps a model chooses, by the Claude Agent SDK (docs/bring-your-own-agent.md#the-built-in-agent-claude). */
import type { AgentConfig, AgentEventInput } from '../../contract/agent-contract.ts';
import { publishEvent } from '../sidecar-http/publish-event.ts';
import { readInput } from '../sidecar-http/read-input.ts';
import { createModelInputs } from './model-inputs.ts';
import { createOpenMatters } from './open-matters.ts';
import { createStepEvents } from './publish-steps.ts';
import type { Query, QueryOptions } from './sdk.ts';
import { readSdkMessage } from './sdk-messages.ts';

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
  let published = Promise.resolve();
  const publish = (event: AgentEventInput) => {
    published = published.then(() => publishEvent(sidecarSocket, event));
  };
  const messages = readInput(sidecarSocket, inputs.add);
  let exitCode: 0 | 1 | null = null;
  try {
    for await (const message of query({ prompt: inputs.prompt, options })) {
      for (const step of readSdkMessage(message)) {
        matters.take(step);
        eventsOf(step).forEach(publish);
        inputs.releaseHeld();
        if (step.type === 'turn_ended') {
          const isIdle = step.queued === 0 && inputs.unread() === 0;
          const isOver = matters.hasEnded() || (!hasOperator && isIdle && !matters.isWaiting());
          if (isOver) {
            exitCode = step.error === null || matters.hasEnded() ? 0 : 1;
            inputs.end();
          }
        }
      }
    }
    return exitCode ?? 1;
  } catch (error) {
    if (exitCode !== null) {
      // The SDK throws at the end of a run whose last turn failed, which people were told.
      return exitCode;
    }
    const message = `The agent cannot continue: ${error instanceof Error ? error.message : String(error)}`;
    publish({ type: 'agent.error', payload: { message: message.slice(0, 10_000), code: null, fatal: true } });
    return 1;
  } finally {
    messages.close();
    await published;
  }
}
