/**
 * What one server lists of its tools, as it passes: noted for the checks of calls, and reported to
 * the platform, which compares it with what an admin accepted (docs/sidecar.md#lists-of-tools).
 * Nothing of it is altered.
 */
import type { Logger } from 'pino';
import type { ShownDefinitions } from '../../contract/tool-definitions.ts';
import { nextLoopTurn } from '../json-rpc/loop-turn.ts';
import type { Params } from '../json-rpc/message.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { type Definition, definitionOf, listedTool } from './definition.ts';
import { ListPages } from './list-pages.ts';
import { ListReporter } from './list-reporter.ts';
import { ShownTools } from './shown-tools.ts';

/** As long as a check waits for the platform. */
const reportWaitMs = 10_000;
/** A list is read in turns of the event loop of about this long. */
const turnMs = 2;
/** A page whose next one is not asked for, or instructions without a list, are reported after this long. */
const flushAfterMs = 2000;

export interface ToolListDependencies {
  server: string;
  /** Calls of tools that are not as accepted are refused. */
  refusesChanges: boolean;
  api: Pick<PlatformApi, 'reportToolList'>;
  logger: Logger;
}

/** The lists of one server, on all connections of the agent. */
export interface ToolLists {
  readonly refusesChanges: boolean;
  connect(): ConnectionLists;
  /**
   * What a check of a call of this tool is about, once the platform has the lists; null when it
   * does not take them in time.
   */
  shown(tool: string): Promise<ShownDefinitions | null>;
  /** Waits until the platform has the lists, or for `limitMs`. */
  close(limitMs: number): Promise<void>;
}

/**
 * A request of the agent whose answer may say something of the tools. `cursor`: the page that it asks for;
 * null when it is not followed.
 */
export interface ListingRequest {
  method: string;
  cursor?: string | null | undefined;
}

export interface ConnectionLists {
  /** Notes what an answer says of the tools, before the agent reads it. */
  answered(request: ListingRequest, result: Params): Promise<void>;
  /** Whether the agent was shown the tool, and on this connection a list from its first to its last page. */
  hasShown(tool: string): boolean;
  /** Reports what was listed in part. */
  close(): void;
}

export function createToolLists({ server, refusesChanges, api, logger }: ToolListDependencies): ToolLists {
  const seen = new ShownTools();
  const reporter = new ListReporter(api, logger);
  const open = new Set<Connection>();
  return {
    refusesChanges,
    connect() {
      const connection = new Connection(server, seen, reporter, () => open.delete(connection));
      open.add(connection);
      return connection;
    },
    async shown(tool) {
      for (const connection of open) {
        connection.flush();
      }
      const isReported = await reporter.settled(reportWaitMs);
      return isReported ? (seen.of(tool) ?? { tool: [], instructions: [] }) : null;
    },
    async close(limitMs) {
      await reporter.settled(limitMs);
    },
  };
}

class Connection implements ConnectionLists {
  readonly #server: string;
  readonly #seen: ShownTools;
  readonly #reporter: ListReporter;
  readonly #onClose: () => void;
  #instructions: Definition | null = null;
  /** The list whose next page may come. */
  #pages: ListPages | null = null;
  #isReported = true;
  #flushTimer: NodeJS.Timeout | undefined;
  #hasCompleteList = false;

  constructor(server: string, seen: ShownTools, reporter: ListReporter, onClose: () => void) {
    this.#server = server;
    this.#seen = seen;
    this.#reporter = reporter;
    this.#onClose = onClose;
  }

  async answered({ method, cursor }: ListingRequest, result: Params): Promise<void> {
    if (method === 'tools/list') {
      await this.#readPage(cursor, result);
    } else if (method === 'initialize' || method === 'server/discover') {
      this.#readInstructions(result['instructions']);
    }
  }

  hasShown(tool: string): boolean {
    return this.#hasCompleteList && this.#seen.of(tool) !== null;
  }

  flush(): void {
    clearTimeout(this.#flushTimer);
    if (!this.#isReported) {
      this.#isReported = true;
      const pages = this.#pages ?? new ListPages({ isFromStart: false });
      this.#reporter.add(pages.report(this.#server, this.#instructions));
    }
  }

  /** There is something to report, if nothing follows that completes it. */
  #flushLater(): void {
    this.#isReported = false;
    clearTimeout(this.#flushTimer);
    this.#flushTimer = setTimeout(() => this.flush(), flushAfterMs).unref();
  }

  close(): void {
    this.flush();
    this.#onClose();
  }

  #readInstructions(instructions: unknown): void {
    if (instructions !== undefined && instructions !== null && instructions !== '') {
      this.flush();
      this.#instructions = definitionOf(instructions);
      this.#seen.noteInstructions(this.#instructions.digest);
      this.#flushLater();
    }
  }

  async #readPage(cursor: ListingRequest['cursor'], { tools, nextCursor }: Params): Promise<void> {
    let pages = this.#pagesWith(cursor);
    let turnEndsMs = performance.now() + turnMs;
    for (const tool of Array.isArray(tools) ? tools : []) {
      const listed = listedTool(tool);
      this.#seen.note(listed.name, listed.definition.digest);
      if (!pages.add(listed)) {
        pages = this.#continuePages();
        pages.add(listed);
      }
      if (performance.now() >= turnEndsMs) {
        await nextLoopTurn();
        turnEndsMs = performance.now() + turnMs;
      }
    }
    pages.endPage(nextCursor);
    this.#flushLater();
    if (pages.isComplete) {
      this.#hasCompleteList = true;
    }
    if (pages.expects === null) {
      this.flush();
    }
  }

  /** The list has more than one report takes: the rest of it is another, and neither counts as complete. */
  #continuePages(): ListPages {
    const full = this.#pages;
    this.#pages = new ListPages({ isFromStart: false });
    if (full !== null) {
      this.#reporter.add(full.report(this.#server, this.#instructions));
    }
    return this.#pages;
  }

  /**
   * The list that the page belongs to. One that is not the next of the current list begins another, which
   * only the first page can complete.
   */
  #pagesWith(cursor: ListingRequest['cursor']): ListPages {
    if (typeof cursor !== 'string' || this.#pages === null || this.#pages.expects !== cursor) {
      if (this.#pages !== null) {
        this.flush();
      }
      this.#pages = new ListPages({ isFromStart: cursor === undefined });
    }
    return this.#pages;
  }
}
