/**
 * An agent of somebody else as the session's: each text is a turn of it, and what it says are steps
 * (docs/bring-your-own-agent.md#an-agent-that-speaks-acp).
 */
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { describeError } from '../../contract/sentences.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { instructionsOf } from '../model/instructions.ts';
import type { Conversation } from '../model/run-model-agent.ts';
import { type AcpSession, type AcpSessionOptions, openAcpSession } from './acp-session.ts';
import { AgentEndedError } from './agent-process.ts';
import type { AcpLaunch } from './presets.ts';
import { openShim, type Shim } from './shim/open-shim.ts';
import { createStepQueue, type StepQueue } from './step-queue.ts';

export interface AcpAgent {
  config: AgentConfig;
  launch: AcpLaunch;
}

const maxRestarts = 3;
/** For an agent that is told to cancel its turn. */
const cancelLimitMs = 2000;

const interrupted =
  'Message from the platform: your program ended in the middle of your last turn and was started again. The outcome of a call that ran is unknown: look up whether it was done, before you make it again. Then go on.';

/** Between the instructions and what may be another agent's words. */
const firstMessage = 'The first message of this session:';

/** Why a turn did not come to its end, by the words of the protocol. */
const unfinished = new Map<string, string | null>([
  ['end_turn', null],
  ['max_tokens', 'The model wrote as much as it may in one answer, and stopped.'],
  ['max_turn_requests', 'The agent asked its model as often as it may in one turn, and stopped.'],
  ['refusal', 'The model refused to go on.'],
]);
/** Also for a reason that the protocol does not have. */
const brokenOff = 'The agent broke its turn off.';

export const converseByAcp = (agent: AcpAgent): Conversation =>
  async function* ({ texts, abortController: { signal } }) {
    const queue = createStepQueue();
    const shim = await openShim({
      servers: agent.config.mcpServers,
      maxWaitSeconds: agent.launch.maxWaitSeconds,
      onStep: queue.push,
    });
    const talk = new Talk(agent, shim, queue, signal);
    void talk
      .run(texts)
      .then(
        () => queue.end(),
        (error: unknown) => queue.end(error),
      )
      .finally(() => shim.close());
    yield* queue.steps();
  };

class Talk {
  readonly #agent: AcpAgent;
  readonly #shim: Shim;
  readonly #queue: StepQueue;
  readonly #signal: AbortSignal;
  readonly #options: AcpSessionOptions;
  #restarts = 0;

  constructor(agent: AcpAgent, shim: Shim, queue: StepQueue, signal: AbortSignal) {
    this.#agent = agent;
    this.#shim = shim;
    this.#queue = queue;
    this.#signal = signal;
    this.#options = {
      launch: agent.launch,
      servers: shim.launches,
      instructions: instructionsOf(agent.config, agent.launch.nameTool),
      onStep: queue.push,
      hasRoom: queue.hasRoom,
    };
  }

  async run(texts: AsyncIterable<string>): Promise<void> {
    const aborted = new Promise<null>((resolve) => {
      this.#signal.addEventListener('abort', () => resolve(null));
    });
    let session = await openAcpSession(this.#options, null);
    try {
      const turns = texts[Symbol.asyncIterator]();
      for (let isFirst = true; ; isFirst = false) {
        const next = await Promise.race([turns.next(), aborted]);
        if (next === null || next.done === true || this.#signal.aborted) {
          return;
        }
        const isSaid = isFirst && session.saysInstructions;
        const text = isSaid ? `${this.#options.instructions}\n\n${firstMessage}\n${next.value}` : next.value;
        session = await this.#turn(session, text, aborted);
        if (isFirst && this.#agent.launch.listsTools && !this.#signal.aborted) {
          this.#reportUnlisted();
        }
      }
    } finally {
      await session.stop();
    }
  }

  /** Returns the session that goes on: that of a process started again, where the first one ended. */
  async #turn(begun: AcpSession, first: string, aborted: Promise<null>): Promise<AcpSession> {
    let session = begun;
    let text = first;
    for (;;) {
      try {
        const answer = session.prompt(text);
        const reason = await Promise.race([answer, aborted]);
        if (reason === null) {
          session.cancel();
          // One that ignores it is ended with its program.
          await abandonAfter(cancelLimitMs, answer, () => null);
        } else {
          const why = unfinished.get(reason);
          this.#endTurn(why === undefined ? brokenOff : why);
        }
        return session;
      } catch (error) {
        if (this.#signal.aborted) {
          return session;
        }
        if (!(error instanceof AgentEndedError)) {
          this.#endTurn(describeError(error));
          return session;
        }
        session = await this.#startAgain(session, error);
        // What came after it had ended is said to the next one.
        if (error.wasAsked) {
          text = interrupted;
        }
      }
    }
  }

  async #startAgain(session: AcpSession, ending: AgentEndedError): Promise<AcpSession> {
    this.#restarts += 1;
    if (!session.canResume || this.#restarts > maxRestarts) {
      throw ending;
    }
    await session.stop();
    this.#shim.disconnect();
    const next = await openAcpSession(this.#options, session.id);
    this.#queue.push({ type: 'notice', text: `The agent was started again, since ${ending.message}.` });
    return next;
  }

  #endTurn(error: string | null): void {
    this.#queue.push({ type: 'turn_ended', error, queued: 0 });
  }

  /** Without its tools a model goes on as if there were none. */
  #reportUnlisted(): void {
    for (const server of this.#shim.unlisted()) {
      const text = `The agent did not ask for the tools of the MCP server "${server}" in its first turn, so its model does not know them.`;
      this.#queue.push({ type: 'problem', text });
    }
  }
}
