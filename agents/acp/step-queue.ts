import type { RunStep } from '../model/run-step.ts';

/** Steps of several sources in the order in which they came, for one reader. */
export interface StepQueue {
  push(step: RunStep): void;
  /** Resolves while few steps wait, and little text. */
  hasRoom(): Promise<void>;
  /** Ends the steps, or throws at their reader. */
  end(error?: unknown): void;
  steps(): AsyncGenerator<RunStep>;
}

const manySteps = 200;
const muchText = 1024 * 1024;

export function createStepQueue(): StepQueue {
  let waiting: RunStep[] = [];
  let textLength = 0;
  let ending: { error: unknown } | null = null;
  let wakeReader = () => {};
  const wakeWriters: (() => void)[] = [];
  return {
    push(step) {
      waiting.push(step);
      textLength += 'text' in step ? step.text.length : 0;
      wakeReader();
    },
    async hasRoom() {
      while ((waiting.length >= manySteps || textLength >= muchText) && ending === null) {
        await new Promise<void>((resolve) => wakeWriters.push(resolve));
      }
    },
    end(error) {
      ending ??= { error };
      wakeReader();
    },
    async *steps() {
      for (;;) {
        const taken = waiting;
        waiting = [];
        textLength = 0;
        for (const wake of wakeWriters.splice(0)) {
          wake();
        }
        yield* taken;
        if (waiting.length > 0) {
          continue;
        }
        if (ending !== null) {
          if (ending.error !== undefined) {
            throw ending.error;
          }
          return;
        }
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      }
    },
  };
}
