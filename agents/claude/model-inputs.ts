/** What the model is told, one after another: the prompt, then each message, until the run is to end. */
import type { InputMessage } from '../../contract/agent-contract.ts';
import { wordMessage } from './message-text.ts';
import type { OpenMatters } from './open-matters.ts';
import type { ModelInput } from './sdk.ts';

export interface ModelInputs {
  /** For the SDK; it ends after `end`. */
  prompt: AsyncIterable<ModelInput>;
  /** Gives a message to the model, or keeps it until `releaseHeld`. */
  add(message: InputMessage): void;
  /** After each step: what was kept, as far as it is not known meanwhile. */
  releaseHeld(): void;
  /** How many were given and not yet taken. */
  unread(): number;
  end(): void;
}

export function createModelInputs(firstPrompt: string, matters: OpenMatters): ModelInputs {
  const ready: ModelInput[] = [inputOf(firstPrompt)];
  let held: InputMessage[] = [];
  let ended = false;
  let wake: () => void = () => undefined;

  const add = (message: InputMessage) => {
    const verdict = matters.judge(message);
    if (verdict === 'later') {
      held.push(message);
    }
    if (verdict === 'now') {
      matters.takeMessage(message);
      ready.push(inputOf(wordMessage(message)));
      wake();
    }
  };

  async function* prompt(): AsyncGenerator<ModelInput> {
    for (;;) {
      for (let next = ready.shift(); next; next = ready.shift()) {
        yield next;
      }
      if (ended) {
        return;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    prompt: prompt(),
    add,
    releaseHeld() {
      const kept = held;
      held = [];
      kept.forEach(add);
    },
    unread: () => ready.length,
    end() {
      ended = true;
      wake();
    },
  };
}

const inputOf = (content: string): ModelInput => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
});
