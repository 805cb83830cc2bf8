/**
 * What the agent of this session was shown of one server's tools, by name. A definition stays here when a later list has another: the agent
 * has read both.
 */
import { maxShown, type ShownDefinitions } from '../../contract/tool-definitions.ts';

/** More names are not kept, and count as not shown. */
const maxNames = 10_000;

export class ShownTools {
  readonly #tools = new Map<string, Set<string>>();
  readonly #instructions = new Set<string>();

  note(tool: string, digest: string): void {
    const known = this.#tools.get(tool);
    if (known === undefined && this.#tools.size < maxNames) {
      this.#tools.set(tool, new Set([digest]));
    } else {
      add(known, digest);
    }
  }

  noteInstructions(digest: string): void {
    add(this.#instructions, digest);
  }

  /** Null when the tool was not shown, or when there are more definitions of it or of the instructions than a check takes. */
  of(tool: string): ShownDefinitions | null {
    const definitions = this.#tools.get(tool);
    return definitions === undefined || definitions.size > maxShown || this.#instructions.size > maxShown
      ? null
      : { tool: [...definitions], instructions: [...this.#instructions] };
  }
}

/** One more than a check takes is enough to know that there are too many. */
function add(definitions: Set<string> | undefined, digest: string): void {
  if (definitions !== undefined && definitions.size <= maxShown) {
    definitions.add(digest);
  }
}
