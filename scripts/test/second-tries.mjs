/**
 * Files that failed and passed when they ran once more. The machine remembers them, so that one which does it
 * again is not overlooked.
 */
import { readNote, writeNote } from './machine-notes.mjs';

/** In one run. More than these are no flakes. */
export const mostSecondTries = 2;
const runsRemembered = 10;
const noteName = 'second-tries';

/**
 * Adds a run to the last ones of this selection. Returns a line for each file that needed a second
 * try in an earlier one, too.
 */
export function noteSecondTries(environment, selection, secondTries) {
  const runs = readNote(environment, noteName) ?? [];
  const paths = secondTries.map(({ path }) => path);
  const earlier = runs.filter((run) => run.selection === selection).slice(-(runsRemembered - 1));
  const others = runs.filter((run) => run.selection !== selection);
  writeNote(environment, noteName, [
    ...others,
    ...earlier,
    { at: new Date().toISOString(), selection, paths },
  ]);
  return paths
    .filter((path) => earlier.some((run) => run.paths.includes(path)))
    .map((path) => `${path}: needed a second try in two of the last ${runsRemembered} runs`);
}
