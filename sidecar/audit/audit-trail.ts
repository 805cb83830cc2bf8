/**
 * Every tool call is recorded once: gated, ungated, refused, or to `platform` (spec, Audit events). The gate asks before it
 * forwards; a trail that cannot take the record refuses the call.
 */
import type { CallOutcome } from '../../contract/audit-event.ts';

export interface AuditedCall {
  callId: string;
  server: string;
  tool: string;
}

/**
 * `recorded`: the call is on disk and may go on. Otherwise it must not pass: its record cannot be stored, or the session has made
 * its max number of calls; it is then counted, by tool and minute.
 */
export type Admission = 'recorded' | 'audit_unavailable' | 'too_many_calls';

export interface AuditTrail {
  /** Records a call before it is forwarded; `args` are kept only where the workspace asks for payloads. */
  started(call: AuditedCall, args?: unknown): Promise<Admission>;
  /** Counts a call beyond the rate limit, instead of recording it. */
  refusedBeyondLimit(call: Omit<AuditedCall, 'callId'>): Promise<Admission>;
  /** The gate decided on a started call now: its time counts from here, not from when its line was read. */
  decided(callId: string): void;
  /** Records how a started call ended. The first report of a call wins. `result` is kept only where `args` are. */
  finished(callId: string, outcome: CallOutcome, result?: unknown): void;
  /** Records every call that is still open as `unknown` and reports what it can within the limit. */
  close(): Promise<void>;
}
