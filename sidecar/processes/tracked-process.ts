/**
 * What is known of one process of the session. Times and states are the sidecar's own;
 * ends and output are claims.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerFault, AnswerFaultCount } from '../../contract/answer-fault.ts';
import { maxStoredInteger } from '../../contract/names.ts';
import { maxOutputBytes } from '../../contract/process-reports.ts';
import type {
  FailureCause,
  ProcessClaim,
  ProcessKind,
  ProcessReport,
  ProcessState,
} from '../../contract/session-process.ts';
import { classifyFailure, type Failure, type ServerFacts } from './classify-failure.ts';

export type EndClaim = ProcessClaim & { type: 'not_started' | 'ended' };
export type Snapshot = Omit<ProcessReport, 'sidecar_run' | 'revision' | 'output'>;

/** The report on an end arrives on another connection than the end itself. */
const claimLimitMs = 600;
const lookEveryMs = 20;
/** After this time the process's last output has arrived as well. */
const lastOutputMs = 200;

export class TrackedProcess {
  readonly kind: ProcessKind;
  readonly name: string;
  readonly #onChange: (isUrgent: boolean) => void;
  readonly #saysWhenReady: boolean;
  readonly #moved = new Set<() => void>();
  #state: ProcessState = 'not_started';
  #starts = 0;
  #cause: FailureCause | null = null;
  #handshakeMs: number | null = null;
  #end: { exitCode: number | null; signal: string | null } = { exitCode: null, signal: null };
  /** Of the current start. */
  #startedAtMs = 0;
  #endClaim: EndClaim | null = null;
  #writtenBefore = 0;
  #output = Buffer.alloc(0);
  #writtenBytes = 0;
  readonly #faults = new Map<AnswerFault, number>();

  /** One that does not say when it is ready is so when it was started. */
  constructor(
    kind: ProcessKind,
    name: string,
    onChange: (isUrgent: boolean) => void,
    { saysWhenReady = false } = {},
  ) {
    this.kind = kind;
    this.name = name;
    this.#onChange = onChange;
    this.#saysWhenReady = saysWhenReady;
  }

  get snapshot(): Snapshot {
    return {
      kind: this.kind,
      name: this.name,
      state: this.#state,
      starts: this.#starts,
      exit_code: this.#end.exitCode,
      signal: this.#end.signal,
      cause: this.#cause,
      handshake_ms: this.#handshakeMs,
      ...(this.#faults.size === 0 ? {} : { faults: this.#faultCounts }),
    };
  }

  get #faultCounts(): AnswerFaultCount[] {
    return Array.from(this.#faults, ([reason, count]) => ({ reason, count }));
  }

  get output(): { bytes: Buffer; writtenBytes: number } {
    return { bytes: this.#output, writtenBytes: this.#writtenBytes };
  }

  /** A server is given its first byte, or an agent or sibling was started. */
  begin(): void {
    this.#starts += 1;
    this.#startedAtMs = performance.now();
    this.#endClaim = null;
    this.#writtenBefore = this.#writtenBytes;
    this.#cause = null;
    this.#moveTo('starting');
  }

  ready(): void {
    if (this.#state === 'starting') {
      this.#handshakeMs = this.kind === 'server' ? Math.round(performance.now() - this.#startedAtMs) : null;
      this.#moveTo('ready');
    }
  }

  /** An answer of this server did not pass. */
  faulted(reason: AnswerFault): void {
    this.#faults.set(reason, Math.min(maxStoredInteger, (this.#faults.get(reason) ?? 0) + 1));
    this.#onChange(true);
  }

  ended(): void {
    if (this.#state === 'starting' || this.#state === 'ready') {
      this.#moveTo('ended');
    }
  }

  /** Waits briefly for the report on the end. */
  async fail(how: Failure['how'], facts: ServerFacts): Promise<FailureCause> {
    if (how === 'lost') {
      await this.#untilEndIsTold();
    }
    const written = this.#output.subarray(
      Math.max(0, this.#output.length - (this.#writtenBytes - this.#writtenBefore)),
    );
    const cause = classifyFailure({ how, end: this.#endClaim, written: written.toString('utf8') }, facts);
    this.#cause = cause;
    this.#moveTo('failed');
    return cause;
  }

  /**
   * A sibling reached the limit within which the agent waits for it: that the platform ends it
   * then says nothing of it.
   */
  notReadyInTime(): void {
    if (this.#state === 'starting') {
      this.#cause = 'not_ready_in_time';
      this.#moveTo('failed');
    }
  }

  take(claim: ProcessClaim): void {
    switch (claim.type) {
      case 'started':
        if (this.kind !== 'server') {
          this.begin();
        }
        if (this.kind !== 'server' && !this.#saysWhenReady) {
          this.ready();
        }
        return;
      case 'ready':
        this.#takeReadiness();
        return;
      case 'not_started':
      case 'ended':
        this.#takeEnd(claim);
        return;
      case 'output':
        this.#append(Buffer.from(claim.base64, 'base64'), claim.skipped_bytes);
        return;
    }
  }

  /** Waits for a state that fits. */
  async until(fits: (state: ProcessState) => boolean): Promise<void> {
    while (!fits(this.#state)) {
      await new Promise<void>((resolve) => this.#moved.add(resolve));
    }
  }

  /** How an agent or sibling ended before it was ready; null once it was. Waits for either. */
  async endBeforeReady(): Promise<EndClaim | null> {
    await this.until((state) => state !== 'not_started' && state !== 'starting');
    return this.#state === 'ready' ? null : this.#endClaim;
  }

  /** Of one that is not started for this sidecar, an earlier one has counted the start. */
  #takeReadiness(): void {
    if (this.#saysWhenReady && (this.#state === 'not_started' || this.#state === 'starting')) {
      this.#moveTo('ready');
    }
  }

  /** More than one may know of an end; the first says most. */
  #takeEnd(claim: EndClaim): void {
    if (this.kind !== 'server' && (this.#state === 'ended' || this.#state === 'failed')) {
      return;
    }
    this.#endClaim = claim;
    this.#end =
      claim.type === 'ended'
        ? { exitCode: claim.exit_code, signal: claim.signal }
        : { exitCode: null, signal: null };
    if (this.kind === 'server') {
      this.#onChange(true);
    } else {
      this.#moveTo(claim.type === 'ended' ? 'ended' : 'failed');
    }
  }

  #append(bytes: Buffer, skippedBytes: number): void {
    const all = Buffer.concat([this.#output, bytes]);
    this.#output = Buffer.from(all.subarray(Math.max(0, all.length - maxOutputBytes)));
    this.#writtenBytes = Math.min(Number.MAX_SAFE_INTEGER, this.#writtenBytes + skippedBytes + bytes.length);
    this.#onChange(false);
  }

  async #untilEndIsTold(): Promise<void> {
    const deadline = performance.now() + claimLimitMs;
    while (this.#endClaim === null && performance.now() < deadline) {
      await sleep(lookEveryMs);
    }
    await sleep(lastOutputMs);
  }

  #moveTo(state: ProcessState): void {
    this.#state = state;
    this.#onChange(true);
    for (const resolve of this.#moved) {
      resolve();
    }
    this.#moved.clear();
  }
}
