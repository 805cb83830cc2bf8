/** Pure: what a server says of a tool, as text that is equal when it says the same. */
import { createHash } from 'node:crypto';
import { type ToolListReport, toolListLimits } from '../../contract/tool-definitions.ts';
import { isObject } from '../json-rpc/message.ts';

export type Definition = NonNullable<ToolListReport['instructions']>;

/** What a model reads of a tool, and what its client acts on. `_meta` and icons are neither, and change from list to list. */
const definingMembers = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];
/** Control characters and half surrogates: no call can name such a tool. */
const unusableInName = /[\p{Cc}\p{Cs}]/u;

export interface ListedTool {
  name: string;
  definition: Definition;
}

/** Null for what no call can name. */
export function listedTool(value: unknown): ListedTool | null {
  if (!isObject(value)) {
    return null;
  }
  const { name } = value;
  if (
    typeof name !== 'string' ||
    name === '' ||
    name.length > toolListLimits.nameCharacters ||
    unusableInName.test(name)
  ) {
    return null;
  }
  const members = definingMembers.filter((member) => value[member] !== undefined);
  return { name, definition: definitionOf(Object.fromEntries(members.map((key) => [key, value[key]]))) };
}

/** The digest of a JSON value, and its text with sorted keys, truncated at its limit. */
export function definitionOf(value: unknown): Definition {
  const whole = JSON.stringify(sorted(value));
  const text = whole.slice(0, toolListLimits.textCharacters);
  return {
    digest: createHash('sha256').update(whole).digest('hex'),
    text,
    is_cut: text.length < whole.length,
  };
}

/** The parser has limited its depth. A key named `__proto__` stays a key. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, sorted(value[key])]),
      )
    : value;
}
