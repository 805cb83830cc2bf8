/** A tool's definition, or a server's instructions, in parts that a person can read. Pure. */
import type { ToolDefinition } from '../../../api/types.ts';

type Definition = Pick<ToolDefinition, 'part' | 'text' | 'is_cut'>;

export interface ReadableDefinition {
  /** The description or the instructions, as they are; empty without any. */
  prose: string;
  /** The other fields as JSON over several lines; empty without any. */
  fields: string;
}

/** A text that was cut is no JSON any more: it is shown as far as it goes. */
export function readDefinition({ part, text, is_cut: isCut }: Definition): ReadableDefinition {
  const value = isCut ? undefined : parsed(text);
  if (part === 'instructions' && typeof value === 'string') {
    return { prose: value, fields: '' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { prose: '', fields: indented(text) };
  }
  const { description, ...fields } = value as Record<string, unknown>;
  // An empty one is a field like others: it differs from none.
  return typeof description === 'string' && description !== ''
    ? { prose: description, fields: JSON.stringify(fields, null, 2) }
    : { prose: '', fields: JSON.stringify(value, null, 2) };
}

/**
 * Two definitions of the same part. When one of them was cut, both are shown whole:
 * their parts would not match.
 */
export function readPair(
  part: Definition['part'],
  before: Omit<Definition, 'part'>,
  after: Omit<Definition, 'part'>,
): { before: ReadableDefinition; after: ReadableDefinition } {
  const is_cut = before.is_cut || after.is_cut;
  return {
    before: readDefinition({ part, text: before.text, is_cut }),
    after: readDefinition({ part, text: after.text, is_cut }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A string with its quotes, an empty object or list, a mark of structure, or anything between. */
const jsonPieces = /"(?:[^"\\]|\\.?)*"?|\{\}|\[\]|[{}[\],:]|[^"{}[\],:]+/g;

/** JSON without spaces, of which the end may be missing, over several lines. */
export function indented(text: string): string {
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return text.replaceAll(jsonPieces, (piece) => {
    if (piece === '{' || piece === '[') {
      depth += 1;
      return `${piece}${line()}`;
    }
    if (piece === '}' || piece === ']') {
      depth = Math.max(0, depth - 1);
      return `${line()}${piece}`;
    }
    return piece === ',' ? `${piece}${line()}` : piece === ':' ? ': ' : piece;
  });
}
