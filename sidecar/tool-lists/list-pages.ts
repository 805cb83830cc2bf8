/** The pages of one `tools/list` of the agent, from its first to its last, within the limits of a report. */
import { type ToolListReport, toolListLimits } from '../../contract/tool-definitions.ts';
import type { Definition, ListedTool } from './definition.ts';

export class ListPages {
  readonly #tools = new Map<string, ToolListReport['tools'][number]>();
  #characters = 0;
  /** Nothing of it is missing so far. */
  #isWhole: boolean;
  /** The cursor of its next page; null when this was the last. */
  expects: string | null = null;

  constructor({ isFromStart }: { isFromStart: boolean }) {
    this.#isWhole = isFromStart;
  }

  get isComplete(): boolean {
    return this.expects === null && this.#isWhole;
  }

  add({ name, definition }: ListedTool): void {
    const key = `${definition.digest} ${name}`;
    if (this.#tools.has(key)) {
      return;
    }
    if (this.#tools.size >= toolListLimits.tools) {
      this.#isWhole = false;
      return;
    }
    this.#tools.set(key, { name, ...this.#withinReport(definition) });
  }

  report(server: string, instructions: Definition | null): ToolListReport {
    return { server, is_complete: this.isComplete, tools: [...this.#tools.values()], instructions };
  }

  /** The digest of every definition is reported, the text as far as there is room. */
  #withinReport(definition: Definition): Definition {
    const { text } = definition;
    if (this.#characters + text.length > toolListLimits.reportCharacters) {
      return { ...definition, text: '', is_cut: true };
    }
    this.#characters += text.length;
    return definition;
  }
}
