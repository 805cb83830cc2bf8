/** A session is called as a person named it, else by the first line of its prompt. Pure. */

/** A prompt may be long: no more of its beginning is needed for a title. */
export const titleStartCharacters = 400;

const maxTitleCharacters = 160;

/** Of an empty prompt: what its id begins with. `start`: the name, or the prompt, or its first characters. */
export const sessionTitle = (id: string, start: string): string =>
  start.trimStart().split('\n')[0]?.slice(0, maxTitleCharacters).trimEnd() || `Session ${id.slice(0, 8)}`;
