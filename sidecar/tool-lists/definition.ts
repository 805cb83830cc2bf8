/** Pure: what a server says of a tool, as text that is equal when it says the same. */
import { createHash } from 'node:crypto';
import { type ToolListReport, toolListLimits } from '../../contract/tool-definitions.ts';
import { isObject } from '../json-rpc/message.ts';

export type Definition = NonNullable<ToolListReport['instructions']>;

/**
 * No model reads these, and they change from list to list. Everything else counts: some clients read more
 * than the protocol names.
 */
const ignoredMembers = new Set(['_meta', 'icons']);
/** Control characters and half surrogates: no call can name such a tool. */
const unusableInName = /[\p{Cc}\p{Cs}]/gu;

export interface ListedTool {
  name: string;
  definition: Definition;
}

/**
 * Anything in a list is a tool: an agent also reads the description of one that no call can name. Such a name
 * has U+FFFD for what is unusable in it; the definition has it as it is.
 */
export function listedTool(value: unknown): ListedTool {
  const { name = null } = isObject(value) ? value : {};
  const members = isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !ignoredMembers.has(key)))
    : value;
  return { name: typeof name === 'string' ? usableName(name) : '\uFFFD', definition: definitionOf(members) };
}

function usableName(name: string): string {
  const cut = name.length > toolListLimits.nameCharacters;
  const start = cut ? `${name.slice(0, toolListLimits.nameCharacters - 1)}\uFFFD` : name;
  return start === '' ? '\uFFFD' : start.replace(unusableInName, '\uFFFD');
}

/** The digest of a JSON value, and its text with sorted keys, truncated at its limit. */
export function definitionOf(value: unknown): Definition {
  const whole = JSON.stringify(sorted(value, { values: mostSorted }));
  const hasAll = whole.length <= toolListLimits.textCharacters;
  return {
    digest: createHash('sha256').update(whole).digest('hex'),
    text: hasAll ? whole : beginningOf(whole),
    is_cut: !hasAll,
  };
}

/** A copy: a slice would keep all of the text in memory. Ends with a whole character. */
function beginningOf(text: string): string {
  const start = text.slice(0, toolListLimits.textCharacters);
  return Buffer.from(start.isWellFormed() ? start : start.slice(0, -1)).toString();
}

/**
 * Sorting more would block the event loop: the rest stays in the order of its server, so that another
 * order is another definition.
 */
const mostSorted = 4000;

/** The parser has limited its depth. A key named `__proto__` stays a key. */
function sorted(value: unknown, left: { values: number }): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const keys = Object.keys(value);
  if (keys.length > left.values) {
    left.values = 0;
    return value;
  }
  left.values -= keys.length;
  if (Array.isArray(value)) {
    return value.map((each) => sorted(each, left));
  }
  return isObject(value)
    ? Object.fromEntries(keys.sort().map((key) => [key, sorted(value[key], left)]))
    : value;
}
