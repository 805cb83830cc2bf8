/** Makes the call of a step. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallStep } from '../../contract/scripted-instructions.ts';
import type { CallResult } from '../call-outcome.ts';
import { hasAwaitedValue } from './awaited-value.ts';
import type { ToolCaller } from './tool-caller.ts';

/** Again for as long as the step says; returns the outcome of the last one. */
export async function makeCall(step: CallStep, tools: Pick<ToolCaller, 'call'>): Promise<CallResult> {
  const { every_seconds = 0, timeout_seconds = 0 } = step.repeat_on ?? step.repeat_until ?? {};
  const lastAtMs = performance.now() + (timeout_seconds - every_seconds) * 1000;
  for (;;) {
    const outcome = await tools.call(step.call, step.arguments);
    if (!isRepeated(step, outcome) || performance.now() > lastAtMs) {
      return outcome;
    }
    await sleep(every_seconds * 1000);
  }
}

/** After a failure only `repeat_on` applies, after a success only `repeat_until`. */
function isRepeated({ repeat_on, repeat_until }: CallStep, outcome: CallResult): boolean {
  return outcome.ok
    ? repeat_until !== undefined && !hasAwaitedValue(repeat_until, outcome.structured)
    : repeat_on !== undefined && outcome.code === repeat_on.code;
}
