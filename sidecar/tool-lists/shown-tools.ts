/**
 * What the agent of this session was shown of one server's tools, by name. A definition stays here when a
 * later list has another: the agent has read both.
 */
import { maxShown, type ShownDefinitions } from '../../contract/tool-definitions.ts';

/** With more of a server, in a whole session, no tool of it counts as shown. */
const maxDefinitions = 20_000;

export class ShownTools {
  readonly #tools = new Map<string, Set<string>>();
  readonly #instructions = new Set<string>();
  #count = 0;

  note(tool: string, digest: string): void {
    const known = this.#tools.get(tool) ?? new Set();
    if (this.#count > maxDefinitions || known.has(digest)) {
      return;
    }
    this.#count += 1;
    this.#tools.set(tool, known);
    add(known, digest);
  }

  noteInstructions(digest: string): void {
    add(this.#instructions, digest);
  }

  /**
   * Null when the tool was not shown, or when there are more definitions of it or of the
   * instructions than a check takes.
   */
  of(tool: string): ShownDefinitions | null {
    const definitions = this.#tools.get(tool);
    const isTooMuch = this.#count > maxDefinitions || this.#instructions.size > maxShown;
    return definitions === undefined || definitions.size > maxShown || isTooMuch
      ? null
      : { tool: [...definitions], instructions: [...this.#instructions] };
  }
}

/** One more than a check takes is enough to know that there are too many. */
function add(definitions: Set<string>, digest: string): void {
  if (definitions.size <= maxShown) {
    definitions.add(digest);
  }
}
