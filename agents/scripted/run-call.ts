/**
 * Runs a call step: the call with saved values in its arguments, what it is expected to do, and what it
 * saves.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { replaceSaved } from '../../contract/saved-values.ts';
import type { CallStep } from '../../contract/scripted-instructions.ts';
import { type CallResult, describeOutcome, isExpected } from '../call-outcome.ts';
import { cutText } from './cut-text.ts';
import type { ToolCaller } from './tool-caller.ts';

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

/** What `repeat_until` waits for in the result of a call. */
type AwaitedValue = NonNullable<CallStep['repeat_until']>;

const shownCharacters = 200;

/** Whether the structured content of a result has the value that is waited for. */
function hasAwaitedValue({ path, equals }: AwaitedValue, structured: unknown): boolean {
  return isDeepStrictEqual(valueAt(structured, path), equals);
}

/** Says, of a result without it, what the value was at last. */
function describeMissed({ path, equals, timeout_seconds }: AwaitedValue, structured: unknown): string {
  const value = valueAt(structured, path);
  const was = value === undefined ? 'the result has no such value' : `it was ${shown(value)}`;
  return `the value at ${path} did not become ${shown(equals)} within ${timeout_seconds} s: ${was}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > shownCharacters ? `${cutText(text, shownCharacters)}…` : text;
}

/**
 * The value that a script names in an earlier result, by a path such as `agents.0.agent_id`;
 * undefined when it is not there.
 */
/**
 * The value that a script names in an earlier result, by a path such as `agents.0.agent_id`; undefined when
 * it is not there.
 */
function valueAt(json: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(memberOf, json);
}

/** Of a list an index, of an object a key of its own. */
function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const isMember = Array.isArray(value) ? /^(0|[1-9]\d*)$/.test(key) : Object.hasOwn(value, key);
  return isMember ? Reflect.get(value, key) : undefined;
}
