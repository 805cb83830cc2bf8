/** Redacts secrets from whole texts, with a limit on the work. */
import { createBlackOut } from './black-out.ts';

/** Well under a second of work. The longest listing of a check, with secrets of six hundred lines, takes a third of it. */
const mostComparisons = 4_000_000;

/**
 * Returns a function that redacts one text: each by itself, in full, since a truncated one may end within a value. Null when there is too
 * much to search for in `texts`, which are all that it will be called with.
 */
export function createTextBlackOut(
  values: readonly string[],
  texts: readonly string[],
): ((text: string) => string) | null {
  const blackOut = createBlackOut(values);
  if (blackOut.showsNothing || blackOut.comparisons(Buffer.from(texts.join(''))) > mostComparisons) {
    return null;
  }
  return (text) => Buffer.concat([blackOut.push(Buffer.from(text)), blackOut.end()]).toString('utf8');
}
