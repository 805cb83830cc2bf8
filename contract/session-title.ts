/** A session is called as a person named it, else by the first line of its prompt. Pure. */

import { cleanedName } from './shown-name.ts';

/** A prompt may be long: no more of its beginning is needed for a title. */
export const titleStartCharacters = 400;

const maxTitleCharacters = 160;

/**
 * On one line and without what nobody sees; of a prompt without such a line, what its id begins with.
 * `start`: the name, or the prompt, or its first characters.
 */
export function sessionTitle(id: string, start: string): string {
  const line = start.trimStart().split('\n')[0] ?? '';
  return cleanedName([...line].slice(0, maxTitleCharacters).join('')) || `Session ${id.slice(0, 8)}`;
}
