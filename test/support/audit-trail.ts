import type { AuditTrail } from '../../sidecar/audit/audit-trail.ts';

/** An audit trail that keeps every record in no time, as far as the test says nothing else. */
export function auditTrailOf(replaced: Partial<Omit<AuditTrail, 'startedTogether'>>): AuditTrail {
  const trail = {
    keepsPayloads: true,
    started: () => Promise.resolve('recorded' as const),
    refusedBeyondLimit: () => Promise.resolve('too_many_calls' as const),
    decided: () => undefined,
    progressed: () => undefined,
    finished: () => undefined,
    close: () => Promise.resolve(),
    ...replaced,
  };
  return { ...trail, startedTogether: (calls) => calls.map(({ call, args }) => trail.started(call, args)) };
}
