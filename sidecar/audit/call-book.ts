/**
 * The calls that the platform does not have yet: open ones, and ended ones that it has not acknowledged; of
 * the others their number. In memory.
 */
import { encodeEnd, encodeSpoolRecord, encodeStart } from '../../contract/audit-spool.ts';
import type { ListedOpenCall } from '../../contract/open-calls.ts';
import type { CallEnd, CallRecord, StartedCall } from '../../contract/tool-call.ts';

interface OpenCall {
  call: StartedCall;
  startedMs: number;
  /** Its time differs from that on disk. */
  isRestarted: boolean;
  /** When its server last reported progress. */
  progressedAt: string | null;
  /** Size of its record on disk. */
  bytes: number;
}

export class CallBook {
  readonly #open = new Map<string, OpenCall>();
  /** With the size of its two records on disk. */
  readonly #ended = new Map<CallRecord, number>();
  #bytes = 0;
  #reported = 0;

  /** Calls, and their size on disk. */
  get count(): number {
    return this.#open.size + this.#ended.size;
  }
  /** All calls of the session, also those of its earlier sidecars. */
  get begunCount(): number {
    return this.count + this.#reported;
  }
  get bytes(): number {
    return this.#bytes;
  }
  get endedCount(): number {
    return this.#ended.size;
  }
  get openIds(): string[] {
    return [...this.#open.keys()];
  }

  /** Takes the call over. Returns the record that has to be written before the call may continue. */
  start(call: StartedCall): string {
    const record = encodeStart(call);
    const bytes = Buffer.byteLength(record);
    this.#open.set(call.call_id, {
      call,
      startedMs: performance.now(),
      isRestarted: false,
      progressedAt: null,
      bytes,
    });
    this.#bytes += bytes;
    return record;
  }

  /** Restarts the time of an open call. */
  restart(callId: string, startedAt: string): void {
    const open = this.#open.get(callId);
    if (open !== undefined) {
      open.startedMs = performance.now();
      open.isRestarted ||= open.call.started_at !== startedAt;
      open.call.started_at = startedAt;
    }
  }

  progress(callId: string, at: string): void {
    const open = this.#open.get(callId);
    if (open !== undefined) {
      open.progressedAt = at;
    }
  }

  /**
   * Calls that have been open for `ms` or longer, oldest first: the first `limit` of
   * them, and how many there are.
   */
  openFor(ms: number, limit: number): { calls: ListedOpenCall[]; count: number } {
    const latestMs = performance.now() - ms;
    const calls: ListedOpenCall[] = [];
    let count = 0;
    for (const { call, startedMs, progressedAt } of this.#open.values()) {
      if (startedMs > latestMs) {
        continue;
      }
      count += 1;
      if (calls.length < limit) {
        const { call_id, server, tool, started_at } = call;
        calls.push({ call_id, server, tool, started_at, progressed_at: progressedAt });
      }
    }
    return { calls, count };
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Returns the call with the record of its end; null for a call that is not open, or no longer. */
  end(callId: string, end: Omit<CallEnd, 'duration_ms'>): { call: CallRecord; record: string } | null {
    const open = this.#open.get(callId);
    if (open === undefined) {
      return null;
    }
    this.#open.delete(callId);
    const duration_ms = Math.round((performance.now() - open.startedMs) * 1000) / 1000;
    const call: CallRecord = Object.assign(open.call, end, { duration_ms });
    const record = encodeEnd(call, open.isRestarted ? call.started_at : undefined);
    const bytes = Buffer.byteLength(record);
    this.#ended.set(call, open.bytes + bytes);
    this.#bytes += bytes;
    return { call, record };
  }

  /** What an earlier sidecar of this session left: its calls, and how many others the platform has. */
  addLeft(calls: readonly CallRecord[], reportedCalls: number): void {
    this.#reported += reportedCalls;
    for (const call of calls) {
      const bytes = Buffer.byteLength(spooledOf(call));
      this.#ended.set(call, bytes);
      this.#bytes += bytes;
    }
  }

  /** The first ended calls, as many as fit into one report. */
  nextBatch(limits: { calls: number; bytes: number }): CallRecord[] {
    const batch: CallRecord[] = [];
    let bytes = 0;
    for (const [call, size] of this.#ended) {
      bytes += size;
      if (batch.length >= limits.calls || (batch.length > 0 && bytes > limits.bytes)) {
        break;
      }
      batch.push(call);
    }
    return batch;
  }

  /** The platform has these. */
  acknowledge(calls: readonly CallRecord[]): void {
    for (const call of calls) {
      this.#bytes -= this.#ended.get(call) ?? 0;
      this.#reported += this.#ended.delete(call) ? 1 : 0;
    }
  }

  /** Everything here, as records for the disk. */
  spooled(): string[] {
    return [
      encodeSpoolRecord({ kind: 'reported', calls: this.#reported }),
      ...Array.from(this.#ended.keys(), spooledOf),
      ...Array.from(this.#open.values(), ({ call }) => encodeStart(call)),
    ];
  }
}

/** Both records of an ended call. */
const spooledOf = (call: CallRecord) => encodeStart(call) + encodeEnd(call);
