/** The session of an agent whose steps a model chooses, whatever program asks that model. */
import type { AgentConfig, AgentEventInput } from '../../contract/agent-contract.ts';
import { liveTextEveryMs, maxLiveTextBytes } from '../../contract/live-text.ts';
import { describeError } from '../../contract/sentences.ts';
import { publishEvent, tellWritten } from '../sidecar-http/publish-event.ts';
import { readInput } from '../sidecar-http/read-input.ts';
import { createModelInputs } from './model-inputs.ts';
import { createOpenMatters } from './open-matters.ts';
import { createStepEvents } from './publish-steps.ts';
import type { RunStep } from './run-step.ts';

/**
 * Runs until the texts end or it is aborted, each text a turn, and reports its steps. It throws when it
 * cannot continue.
 */
export type Conversation = (of: {
  texts: AsyncIterable<string>;
  abortController: AbortController;
}) => AsyncIterable<RunStep>;

export interface ModelRun {
  config: AgentConfig;
  sidecarSocket: string;
  converse: Conversation;
}

/** What waits to be published; a program that floods is read no further before it is less. */
const maxWaiting = 100;

/**
 * Runs to the end: until the model ended the session or, where nobody drives it, until a turn ended and
 * nothing is awaited. Returns the exit code: 1 where it came to no such end.
 */
export async function runModelAgent({ config, sidecarSocket, converse }: ModelRun): Promise<0 | 1> {
  const matters = createOpenMatters();
  const inputs = createModelInputs(config.prompt, matters);
  const eventsOf = createStepEvents();
  const hasOperator = config.has_operator ?? true;
  const abortController = new AbortController();
  const publisher = createPublisher(sidecarSocket);
  let exitCode: 0 | 1 | null = null;
  const take = (step: RunStep) => {
    if (matters.hasEnded()) {
      return;
    }
    matters.take(step);
    if (step.type === 'piece') {
      publisher.write(step);
    }
    eventsOf(step).forEach(publisher.publish);
    inputs.releaseHeld();
    if (matters.hasEnded()) {
      exitCode = 0;
      // The end of the session would cut off the request that comes next.
      abortController.abort();
      return;
    }
    const isIdle = step.type === 'turn_ended' && step.queued === 0 && inputs.unread() === 0;
    if (isIdle && !hasOperator && !matters.isWaiting()) {
      // A message that was taken in this moment still has its turn, and ends the run instead.
      exitCode = step.error === null ? 0 : 1;
      inputs.end();
    }
  };
  const messages = readInput(sidecarSocket, inputs.add);
  try {
    for await (const step of converse({ texts: inputs.texts, abortController })) {
      take(step);
      await publisher.untilFewerThan(maxWaiting);
    }
  } catch (error) {
    // At an end that it came to it may throw as well: that it was aborted, or that the last turn failed.
    if (exitCode === null) {
      publisher.publish(cannotContinue(error));
    }
  } finally {
    messages.close();
    publisher.stopWriting();
    await publisher.untilFewerThan(1);
  }
  return exitCode ?? 1;
}

const toldAgainAfterMs = 20_000;

/** Publishes one after another, in their order; a message that is still written is told now and then. */
function createPublisher(sidecarSocket: string) {
  let waiting = 0;
  let published = Promise.resolve();
  let written = '';
  let timer: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;
  let nextAtMs = 0;
  const tell = () => {
    timer = undefined;
    nextAtMs = performance.now() + liveTextEveryMs;
    const text = written.slice(0, maxLiveTextBytes);
    clearTimeout(again);
    // Whoever is silent for a minute has ended the message.
    again = setTimeout(tell, toldAgainAfterMs).unref();
    // Not when the message came whole meanwhile.
    published = published.then(() =>
      written.startsWith(text) && written !== '' ? tellWritten(sidecarSocket, text) : undefined,
    );
  };
  const stopWriting = () => {
    clearTimeout(timer);
    clearTimeout(again);
    timer = undefined;
    written = '';
  };
  return {
    write({ text, begins }: { text: string; begins: boolean }) {
      written = begins ? text : written + text;
      // Nothing to show yet, and more than may be shown, needs not be told.
      if (written !== '' && written.length <= maxLiveTextBytes) {
        timer ??= setTimeout(tell, Math.max(0, nextAtMs - performance.now()));
      }
    },
    stopWriting,
    publish(event: AgentEventInput) {
      if (event.type === 'agent.message') {
        stopWriting();
      }
      waiting += 1;
      published = published
        .then(() => publishEvent(sidecarSocket, event))
        .then(() => {
          waiting -= 1;
        });
    },
    async untilFewerThan(count: number) {
      if (waiting >= count) {
        await published;
      }
    },
  };
}

const cannotContinue = (error: unknown): AgentEventInput => ({
  type: 'agent.error',
  payload: {
    message: `The agent cannot continue: ${describeError(error)}`.slice(0, 10_000).toWellFormed(),
    code: null,
    fatal: true,
  },
});
