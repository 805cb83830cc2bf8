/** The calls that the platform does not have yet: open ones, and ended ones that it has not acknowledged. In memory. */
import { encodeSpoolRecord } from '../../contract/audit-spool.ts';
import type { CallEnd, CallRecord, StartedCall } from '../../contract/tool-call.ts';

/** A call with its records as they are on disk. */
interface OpenCall {
  call: StartedCall;
  startedMs: number;
  spooled: string;
  /** Its time differs from that on disk. */
  isRestarted: boolean;
}
interface EndedCall {
  call: CallRecord;
  spooled: string;
}

export class CallBook {
  readonly #open = new Map<string, OpenCall>();
  readonly #ended = new Map<string, EndedCall>();
  #bytes = 0;

  /** Calls, and their size on disk. */
  get count(): number {
    return this.#open.size + this.#ended.size;
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

  /** Returns the record that has to be durable before the call may continue. */
  start(call: StartedCall): string {
    const spooled = encodeSpoolRecord({ kind: 'started', ...call });
    this.#open.set(call.call_id, { call, startedMs: performance.now(), spooled, isRestarted: false });
    this.#bytes += spooled.length;
    return spooled;
  }

  /** Restarts the time of an open call. */
  restart(callId: string, startedAt: string): void {
    const open = this.#open.get(callId);
    if (open !== undefined) {
      const call = { ...open.call, started_at: startedAt };
      this.#open.set(callId, { ...open, call, startedMs: performance.now(), isRestarted: true });
    }
  }

  /** Returns the record of the end; null for a call that is not open, or no longer. */
  end(callId: string, end: Omit<CallEnd, 'duration_ms'>): { call: CallRecord; spooled: string } | null {
    const open = this.#open.get(callId);
    if (open === undefined) {
      return null;
    }
    this.#open.delete(callId);
    const duration_ms = Math.round((performance.now() - open.startedMs) * 1000) / 1000;
    return this.#addEnded({ ...open.call, ...end, duration_ms }, open.spooled, open.isRestarted);
  }

  /** A call that an earlier sidecar of this session left. */
  addLeft(call: CallRecord): void {
    const { duration_ms: _, outcome: __, result: ___, ...started } = call;
    const spooled = encodeSpoolRecord({ kind: 'started', ...started });
    this.#bytes += spooled.length;
    this.#addEnded(call, spooled, false);
  }

  #addEnded(
    call: CallRecord,
    startSpooled: string,
    isRestarted: boolean,
  ): { call: CallRecord; spooled: string } {
    const { call_id, duration_ms, outcome, result, started_at } = call;
    const end = {
      call_id,
      duration_ms,
      outcome,
      ...(isRestarted ? { started_at } : {}),
      ...(result === undefined ? {} : { result }),
    };
    const spooled = encodeSpoolRecord({ kind: 'ended', ...end });
    this.#ended.set(call_id, { call, spooled: startSpooled + spooled });
    this.#bytes += spooled.length;
    return { call, spooled };
  }

  /** The first ended calls, as many as fit into one report. */
  nextBatch(limits: { calls: number; bytes: number }): CallRecord[] {
    const batch: CallRecord[] = [];
    let bytes = 0;
    for (const { call, spooled } of this.#ended.values()) {
      bytes += Buffer.byteLength(spooled);
      if (batch.length >= limits.calls || (batch.length > 0 && bytes > limits.bytes)) {
        break;
      }
      batch.push(call);
    }
    return batch;
  }

  /** The platform has these. */
  acknowledge(calls: readonly CallRecord[]): void {
    for (const { call_id } of calls) {
      this.#bytes -= this.#ended.get(call_id)?.spooled.length ?? 0;
      this.#ended.delete(call_id);
    }
  }

  /** Everything here, as records for the disk. */
  spooled(): string[] {
    return [...this.#ended.values(), ...this.#open.values()].map(({ spooled }) => spooled);
  }
}
