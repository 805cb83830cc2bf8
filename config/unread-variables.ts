/**
 * Variables that look like the platform's own although no process of it reads them: misspelled, or of
 * limits that nobody sets.
 */
import * as z from 'zod';
import { withFixedLimits } from './fixed-limits.ts';
import { limitFields } from './limits.ts';
import { settings } from './settings.ts';

/** Each process may be given what another one reads: a chart's and a shell's settings are for all of them. */
const readVariables: readonly string[] = settings.flatMap(({ name, isSecret }) =>
  isSecret ? [name, `${name}_FILE`] : [name],
);

const limitNames = Object.keys(withFixedLimits(z.object(limitFields).parse({})));
const firstWord = (name: string) => name.split('_')[0] ?? '';
const ourWords = new Set([...readVariables, ...limitNames].map(firstWord));
/** Programs of others have variables that begin so, too: of these a name has to be nearly one of ours. */
const sharedWords = new Set(
  'AGENT CLAUDE CONTAINER DATA DATABASE DOCKER HOST HTTPS LOG MODEL NO NODE NPM PORT PYPI RUNNER RUNTIME TEMPORAL UV WORKSPACE'.split(
    ' ',
  ),
);
const slips = 2;
/** What Kubernetes tells every container about services, and a desktop every program. */
const ofOthers = /_SERVICE_(HOST|PORT)(_|$)|_PORT(_\d+_(TCP|UDP|SCTP)(_|$)|$)|^SESSION_MANAGER$/;

export interface UnreadVariable {
  name: string;
  /** Continues the sentence that begins with its name. */
  fault: string;
}

/** By their names alone: values are not looked at. Empty ones count as absent, as for what is read. */
export function unreadVariables(environment: Readonly<Record<string, string | undefined>>): UnreadVariable[] {
  return Object.keys(environment)
    .filter((name) => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(name) && (environment[name] ?? '') !== '')
    .filter((name) => !readVariables.includes(name) && !ofOthers.test(name) && ourWords.has(firstWord(name)))
    .flatMap((name) => {
      const fault = faultOf(name);
      return fault === null ? [] : [{ name, fault }];
    });
}

function faultOf(name: string): string | null {
  if (limitNames.includes(name)) {
    return 'is not read: nobody sets this limit (docs/limits.md)';
  }
  const [nearest = '', changes = 0] = nearestTo(name);
  if (sharedWords.has(firstWord(name)) && changes > slips) {
    return null;
  }
  // What shares less with it is another thing.
  return changes <= name.length / 3 ? `is not read; is ${nearest} meant?` : 'is not read';
}

function nearestTo(name: string): [string, number] {
  const distances = readVariables.map((known): [string, number] => [known, editDistance(name, known)]);
  return distances.reduce((best, next) => (next[1] < best[1] ? next : best));
}

/** Letters to add, leave out or replace until one text is the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] ?? 0) + (letter === to[at] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
