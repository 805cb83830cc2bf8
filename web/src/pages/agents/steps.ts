/**
 * The steps of a scripted agent as rows of a form. The JSON text is what counts: rows are read from it and
 * written back to it, so that both say the same at any time. Pure.
 */

import { isSavedReference } from '../../../../contract/saved-values.ts';
import {
  InstructionsError,
  type InstructionsProblem,
  parseInstructions,
} from '../../../../contract/scripted-instructions.ts';

/** One step as its JSON has it, right or not. */
export type StepRow = Readonly<Record<string, unknown>>;

export const stepKinds = {
  call: 'Call a tool',
  write: 'Write a message',
  wait_for_message: 'Wait for a message',
  sleep_seconds: 'Pause',
  list_tools: 'List a server’s tools',
} as const;
export type StepKind = keyof typeof stepKinds;
const kinds = Object.keys(stepKinds) as StepKind[];

const newSteps: Record<StepKind, StepRow> = {
  call: { call: '', arguments: {} },
  write: { write: '' },
  wait_for_message: { wait_for_message: {} },
  sleep_seconds: { sleep_seconds: 5 },
  list_tools: { list_tools: '', artifact: 'tools.json' },
};
export const newStep = (kind: StepKind): StepRow => newSteps[kind];

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether JSON has a number that reading and writing it would change, as of an id of twenty digits. */
const losesNumbers = (json: string): boolean =>
  [...json.matchAll(/"(?:\\.|[^"\\])*"|(-?\d[\d.eE+-]*)/gs)].some(([, digits]) => {
    const value = Number(digits ?? 0);
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  });

/** Null for a text that is not the JSON of steps and nothing else: rows would lose something of it. */
export function rowsOfSteps(text: string): StepRow[] | null {
  if (text.trim() === '') {
    return [];
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (losesNumbers(text)) {
    return null;
  }
  const isOnlySteps =
    isObject(value) && Object.keys(value).join() === 'steps' && Array.isArray(value['steps']);
  const steps: unknown[] = isOnlySteps ? (value as { steps: unknown[] }).steps : [];
  return isOnlySteps && steps.every(isObject) ? steps : null;
}

/** Empty for no rows, which asks for steps. */
export const textOfSteps = (rows: readonly StepRow[]): string =>
  rows.length === 0 ? '' : JSON.stringify({ steps: rows }, null, 2);

/** Null for a step of no kind, or of several. */
export function kindOfStep(row: StepRow): StepKind | null {
  const found = kinds.filter((kind) => Object.hasOwn(row, kind));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The row with this member, or without it for `undefined`. */
export function withMember(row: StepRow, name: string, value: unknown): StepRow {
  const others = Object.entries(row).filter(([key]) => key !== name);
  if (value === undefined) {
    return Object.fromEntries(others);
  }
  return Object.hasOwn(row, name)
    ? Object.fromEntries(Object.entries(row).map(([key, old]) => [key, key === name ? value : old]))
    : Object.fromEntries([...others, [name, value]]);
}

/** What is wrong with the text, by path; empty when the agent can follow it. */
export function problemsOfSteps(text: string): readonly InstructionsProblem[] {
  try {
    parseInstructions(text);
    return [];
  } catch (error) {
    return error instanceof InstructionsError
      ? error.problems
      : [{ path: '', message: 'the instructions cannot be read' }];
  }
}

/** The messages by the place within a step: `call`, `arguments.path`; empty for all of it. */
export function problemsOfStep(problems: readonly InstructionsProblem[], at: number): Record<string, string> {
  const prefix = `steps.${at}`;
  return Object.fromEntries(
    problems
      .filter(({ path }) => path === prefix || path.startsWith(`${prefix}.`))
      .map(({ path, message }) => [path.slice(prefix.length + 1), message]),
  );
}

/** The variables that steps before this one save, in their order. */
export function savedBefore(rows: readonly StepRow[], at: number): string[] {
  const names = rows.slice(0, at).flatMap(({ save }) => (isObject(save) ? Object.keys(save) : []));
  return [...new Set(names)];
}

/** The variable that a value refers to, or null. */
export const savedName = (value: unknown): string | null =>
  isObject(value) && isSavedReference(value) ? value.$saved : null;

/**
 * A value of an argument from what was typed: JSON where it is some (`5`, `true`, `["a"]`), else the text
 * itself. A text that would be read as JSON stands in quotes.
 */
export function valueOfText(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  // A version such as 1.0 and an id of twenty digits are text: as a number they would be another one.
  const isOther = typeof value === 'number' ? String(value) !== text.trim() : losesNumbers(text);
  return isOther ? text : value;
}

export function textOfValue(value: unknown): string {
  return typeof value === 'string' && valueOfText(value) === value ? value : JSON.stringify(value, null, 1);
}

/** What a value is read as, in a word that stands beside it. */
export function typeOfValue(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'list';
  }
  return { string: 'text', number: 'number', boolean: 'yes or no' }[typeof value as string] ?? 'object';
}

/** An argument's name that is not there yet. */
export function freeName(names: readonly string[]): string {
  let at = 1;
  while (names.includes(`argument_${at}`)) {
    at += 1;
  }
  return `argument_${at}`;
}

/** The same members in their order, one of them with another name. */
export const renamed = (members: StepRow, from: string, to: string): StepRow =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name === from ? to : name, value]));
