/** JSON of somebody else, read within bounds. Pure. */
import { holdsMoreValues } from '../../contract/json-values.ts';

/** No document that is read here has a third of it; code that walks a value by recursion can rely on it. */
const maxDepth = 64;

/** What is wrong completes a sentence that begins with the name of the document. */
export type BoundedJson = { value: unknown } | { problem: string };

/**
 * Counts first: millions of small values in a few megabytes would block this process for seconds. Bytes that
 * are not UTF-8 are refused.
 */
export function parseBoundedJson(bytes: Buffer, maxValues: number): BoundedJson {
  if (holdsMoreValues(bytes, maxValues)) {
    return { problem: `holds more than ${maxValues} JSON values` };
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { problem: 'is not JSON' };
  }
  return isDeeper(value, maxDepth) ? { problem: `is nested more than ${maxDepth} deep` } : { value };
}

/** Goes level by level: recursion would end where the stack does. */
function isDeeper(value: unknown, depth: number): boolean {
  let level = [value];
  for (let left = depth; left > 0; left -= 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) {
      return false;
    }
  }
  return level.some((each) => typeof each === 'object' && each !== null);
}
