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
 * `recorded`: the call is on disk and may go on. Otherwise it must not pass: its record cannot be kept, or the session has made as
 * many calls as it may. It is counted then, by tool and minute.
 */
export type Admission = 'recorded' | 'audit_unavailable' | 'too_many_calls';

export interface AuditTrail {
  /** Takes note of a call before it is forwarded; `args` are kept only where the workspace asks for payloads. */
  started(call: AuditedCall, args?: unknown): Promise<Admission>;
  /** Counts a call that came faster than calls may, instead of recording it. */
  refusedBeyondLimit(call: Omit<AuditedCall, 'callId'>): Promise<Admission>;
  /** The gate decided on a started call now: its time counts from here, not from when its line was read. */
  decided(callId: string): void;
  /** How a started call ended. The first report of a call counts. `result` is kept only where `args` are. */
  finished(callId: string, outcome: CallOutcome, result?: unknown): void;
  /** Records every call that is still open as `unknown` and hands over what it can within the limit. */
  close(): Promise<void>;
}
