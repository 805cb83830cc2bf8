/** The pages of one `tools/list` of the agent, from its first to its last, within the limits of a report. */
import { type ToolListReport, toolListLimits } from '../../contract/tool-definitions.ts';
import type { Definition, ListedTool } from './definition.ts';

/** A longer one is not kept: as many of them as requests may wait would fill the memory. */
export const maxCursorLength = 4096;
/** Pages of one list. */
const maxCursors = 1000;

export class ListPages {
  /** By digest, which is also of the name. */
  readonly #tools = new Map<string, ToolListReport['tools'][number]>();
  /** Of the report, and of the texts in it. */
  #bytes = 0;
  #textBytes = 0;
  /** Nothing of it is missing so far. */
  #isWhole: boolean;
  /** Of its pages so far: one that comes again would begin a circle. */
  readonly #cursors = new Set<string>();
  #expects: string | null | undefined = undefined;

  constructor({ isFromStart }: { isFromStart: boolean }) {
    this.#isWhole = isFromStart;
  }

  /** The cursor of its next page; null when this was the last, undefined while the first is read. */
  get expects(): string | null | undefined {
    return this.#expects;
  }

  /**
   * Some clients take an empty cursor for the end, and others ask for that page: until
   * somebody does, it was the end.
   */
  get isComplete(): boolean {
    return (this.#expects === null || this.#expects === '') && this.#isWhole;
  }

  /**
   * A page has been read, and says which comes next. Null, nothing, and a cursor that was
   * there before are the end.
   */
  endPage(nextCursor: unknown): void {
    const isCursor = typeof nextCursor === 'string' && !this.#cursors.has(nextCursor);
    if (isCursor && (nextCursor.length > maxCursorLength || this.#cursors.size >= maxCursors)) {
      this.#isWhole = false;
      this.#expects = null;
      return;
    }
    this.#expects = isCursor ? nextCursor : null;
    if (isCursor) {
      this.#cursors.add(nextCursor);
    }
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
