import type { AuditTrail } from '../../../../sidecar/audit/audit-trail.ts';
import { Ledger } from '../../../../sidecar/server-link/ledger.ts';

/** A ledger of one connection, and what it recorded. */
export function createLedger({ callTimeoutMs = 0 } = {}) {
  const started: string[] = [];
  const ended: string[] = [];
  const timedOut: (string | number)[] = [];
  const audit: AuditTrail = {
    started: ({ callId }) => {
      started.push(callId);
      return Promise.resolve('recorded');
    },
    refusedBeyondLimit: () => Promise.resolve('too_many_calls'),
    decided: () => undefined,
    finished: (callId, outcome) => ended.push(`${callId}: ${outcome}`),
    close: () => Promise.resolve(),
  };
  const ledger = new Ledger({ server: 'files', audit, limits: { callTimeoutMs } }, ({ id }) =>
    timedOut.push(id),
  );
  return { ledger, started, ended, timedOut };
}
