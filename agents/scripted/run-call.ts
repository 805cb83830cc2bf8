/** Runs a call step: the call with saved values in its arguments, what it is expected to do, and what it saves. */
import { replaceSaved } from '../../contract/saved-values.ts';
import type { CallStep } from '../../contract/scripted-instructions.ts';
import { describeOutcome, isExpected } from '../call-outcome.ts';
import { describeMissed, hasAwaitedValue } from './awaited-value.ts';
import { makeCall } from './make-call.ts';
import type { ToolCaller } from './tool-caller.ts';
import { valueAt } from './value-at.ts';

/** What earlier calls saved, by variable. */
export type SavedValues = Map<string, unknown>;

/** Adds to `saved` what the step saves. Returns null when it went as expected, else why not. */
export async function runCall(
  step: CallStep,
  tools: Pick<ToolCaller, 'call'>,
  saved: SavedValues,
): Promise<string | null> {
  const args = replaceSaved(step.arguments, (variable) => saved.get(variable));
  const outcome = await makeCall({ ...step, arguments: args }, tools);
  if (!isExpected(step.expect, outcome)) {
    return `expected ${step.expect}, got ${describeOutcome(outcome)}`;
  }
  if (!outcome.ok) {
    return null;
  }
  const { repeat_until } = step;
  return repeat_until === undefined || hasAwaitedValue(repeat_until, outcome.structured)
    ? save(step.save ?? {}, outcome.structured, saved)
    : describeMissed(repeat_until, outcome.structured);
}

function save(
  pathByVariable: Readonly<Record<string, string>>,
  structured: unknown,
  saved: SavedValues,
): string | null {
  for (const [variable, path] of Object.entries(pathByVariable)) {
    const value = valueAt(structured, path);
    if (value === undefined) {
      return `the result has no value at ${path}, to be saved as ${variable}`;
    }
    saved.set(variable, value);
  }
  return null;
}
