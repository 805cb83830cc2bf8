/** What `repeat_until` waits for in the result of a call. */
import { isDeepStrictEqual } from 'node:util';
import type { CallStep } from '../../contract/scripted-instructions.ts';
import { cutText } from './cut-text.ts';
import { valueAt } from './value-at.ts';

type AwaitedValue = NonNullable<CallStep['repeat_until']>;

const shownCharacters = 200;

/** Whether the structured content of a result has the value that is waited for. */
export function hasAwaitedValue({ path, equals }: AwaitedValue, structured: unknown): boolean {
  return isDeepStrictEqual(valueAt(structured, path), equals);
}

/** Says, of a result without it, what the value was at last. */
export function describeMissed({ path, equals, timeout_seconds }: AwaitedValue, structured: unknown): string {
  const value = valueAt(structured, path);
  const was = value === undefined ? 'the result has no such value' : `it was ${shown(value)}`;
  return `the value at ${path} did not become ${shown(equals)} within ${timeout_seconds} s: ${was}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > shownCharacters ? `${cutText(text, shownCharacters)}…` : text;
}
