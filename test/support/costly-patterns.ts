/** Variables of a manifest whose expressions cost as much as they can. */
import { patternLimits, patternSize } from '../../contract/patterns.ts';

/** Fields that expect values which match their expressions. */
export const patternFields = (regexes: readonly string[], fallback?: string) =>
  Object.fromEntries(
    regexes.map((regex, at) => [
      `V${at}`,
      { kind: 'value', label: 'v', regex, ...(fallback === undefined ? {} : { default: fallback }) },
    ]),
  );

/**
 * One expression of 490 characters that takes most of a second to compile, in as many variables:
 * far beyond what is allowed.
 */
export const frozenPatterns = (count: number) => Array<string>(count).fill(`(?:${'x*'.repeat(240)}){1000}`);

/** As slow as the bounds let them be: most steps for each character of the longest value. */
export function worstPatterns(): string[] {
  const regex = '(?:x{0,30}){30}';
  const count = Math.floor(patternLimits.totalInstructions / patternSize(regex));
  return Array<string>(count).fill(regex);
}

/** The longest value, which none of the worst expressions matches. */
export const slowValue = `${'x'.repeat(4_095)}!`;

/** An unclosed class: a parser for which each of its pieces is ambiguous backtracks exponentially. */
export const unclosedClass = `[${'\\p{a}'.repeat(48)}`;
