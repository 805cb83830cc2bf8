/** The pages of one `tools/list` of the agent, from its first to its last, within the limits of a report. */
import { type ToolListReport, toolListLimits } from '../../contract/tool-definitions.ts';
import type { Definition, ListedTool } from './definition.ts';

export class ListPages {
  /** By digest, which is also of the name. */
  readonly #tools = new Map<string, ToolListReport['tools'][number]>();
  /** Of the report, and of the texts in it. */
  #bytes = 0;
  #textBytes = 0;
  /** Nothing of it is missing so far. */
  readonly #isWhole: boolean;
  /** The cursor of its next page, empty while the first is read; null when this was the last. */
  expects: string | null = '';

  constructor({ isFromStart }: { isFromStart: boolean }) {
    this.#isWhole = isFromStart;
  }

  get isComplete(): boolean {
    return this.expects === null && this.#isWhole;
  }

  /** False when there is no room: the digest of every definition is reported, the text as far as it fits. */
  add({ name, definition }: ListedTool): boolean {
    const { digest } = definition;
    if (this.#tools.has(digest)) {
      return true;
    }
    const withoutText = { name, ...definition, text: '', is_cut: true };
    const bytes = bytesOf(withoutText);
    const textBytes = bytesOf(definition.text);
    if (this.#tools.size >= toolListLimits.tools || this.#bytes + bytes > toolListLimits.reportBytes) {
      return false;
    }
    const hasText =
      this.#textBytes + textBytes <= toolListLimits.reportTextBytes &&
      this.#bytes + bytes + textBytes <= toolListLimits.reportBytes;
    this.#tools.set(digest, hasText ? { name, ...definition } : withoutText);
    this.#textBytes += hasText ? textBytes : 0;
    this.#bytes += bytes + (hasText ? textBytes : 0);
    return true;
  }

  report(server: string, instructions: Definition | null): ToolListReport {
    return { server, is_complete: this.isComplete, tools: [...this.#tools.values()], instructions };
  }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
