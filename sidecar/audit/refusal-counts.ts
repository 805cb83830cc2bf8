/**
 * Calls that are refused beyond a limit, counted by server, tool, outcome and minute, so that a flood costs
 * little and hides nothing. Tools that a scope gates always have separate counts; of other names, which the
 * agent can invent, only the first few do. In memory: each change comes as a record for the disk.
 */
import { randomUUID } from 'node:crypto';
import type { CallOutcome } from '../../contract/audit-event.ts';
import { encodeSpoolRecord } from '../../contract/audit-spool.ts';
import { type RefusedCallCount, storableText } from '../../contract/tool-call.ts';

const minuteMs = 60_000;
const maxOtherNames = 16;
/**
 * Counts that the platform does not have yet; beyond this, calls are added to the minute that the
 * tool was last counted in.
 */
const maxCounts = 5000;
/** The name for tools without a separate count. */
const otherTools = '(other tools)';

export class RefusalCounts {
  readonly #gatedTool: (server: string, tool: string) => string | null;
  readonly #otherNames = new Set<string>();
  /** The count that grows, by server, tool and outcome. */
  readonly #current = new Map<string, RefusedCallCount>();
  readonly #counts = new Map<string, RefusedCallCount>();

  /** `gatedTool`: the gated tool that a name denotes or imitates, if any. */
  constructor(gatedTool: (server: string, tool: string) => string | null) {
    this.#gatedTool = gatedTool;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Counts one call. Returns the record that makes it durable. */
  add({ server, tool }: { server: string; tool: string }, outcome: CallOutcome, atMs: number): string {
    const name = this.#nameOf(server, tool);
    const key = JSON.stringify([server, name, outcome]);
    const minute = new Date(Math.floor(atMs / minuteMs) * minuteMs).toISOString();
    const current = this.#current.get(key);
    const isOpen = current !== undefined && (current.minute === minute || this.#counts.size >= maxCounts);
    const count = isOpen
      ? { ...current, count: current.count + 1 }
      : { count_id: randomUUID(), server, tool: name, outcome, minute, count: 1 };
    this.#current.set(key, count);
    this.#counts.set(count.count_id, count);
    return encode(count);
  }

  /** Counts that an earlier sidecar of this session left; they are final. */
  addLeft(counts: readonly RefusedCallCount[]): void {
    for (const count of counts) {
      this.#counts.set(count.count_id, count);
    }
  }

  /** Up to `limit` final counts: of past minutes, or with `all` of any. */
  closed(limit: number, nowMs: number, { all = false } = {}): RefusedCallCount[] {
    const closed = [...this.#counts.values()]
      .filter(({ minute }) => all || Date.parse(minute) + minuteMs <= nowMs)
      .slice(0, limit);
    for (const { count_id, server, tool, outcome } of closed) {
      const key = JSON.stringify([server, tool, outcome]);
      if (this.#current.get(key)?.count_id === count_id) {
        this.#current.delete(key);
      }
    }
    return closed;
  }

  /** The platform has these. */
  acknowledge(counts: readonly RefusedCallCount[]): void {
    for (const { count_id } of counts) {
      this.#counts.delete(count_id);
    }
  }

  /** Everything here, as records for the disk. */
  spooled(): string[] {
    return [...this.#counts.values()].map(encode);
  }

  #nameOf(server: string, tool: string): string {
    const gated = this.#gatedTool(server, tool);
    if (gated !== null) {
      return gated;
    }
    const name = storableText(tool);
    const key = JSON.stringify([server, name]);
    if (!this.#otherNames.has(key) && this.#otherNames.size >= maxOtherNames) {
      return otherTools;
    }
    this.#otherNames.add(key);
    return name;
  }
}

const encode = (count: RefusedCallCount) => encodeSpoolRecord({ kind: 'counted', ...count });
