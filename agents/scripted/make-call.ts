/** Makes the call of a step. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallStep } from '../../contract/scripted-instructions.ts';
import type { CallResult } from './call-outcome.ts';
import type { ToolCaller } from './tool-caller.ts';

/** Again for as long as the step says; returns the outcome of the last one. */
export async function makeCall(step: CallStep, tools: Pick<ToolCaller, 'call'>): Promise<CallResult> {
  const { code = null, every_seconds = 0, timeout_seconds = 0 } = step.repeat_on ?? {};
  const lastAtMs = performance.now() + (timeout_seconds - every_seconds) * 1000;
  for (;;) {
    const outcome = await tools.call(step.call, step.arguments);
    const isRepeated = code !== null && !outcome.ok && outcome.code === code;
    if (!isRepeated || performance.now() > lastAtMs) {
      return outcome;
    }
    await sleep(every_seconds * 1000);
  }
}
