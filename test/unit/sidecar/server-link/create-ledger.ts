import { Ledger } from '../../../../sidecar/server-link/ledger.ts';
import { auditTrailOf } from '../../../support/audit-trail.ts';

/** A ledger of one connection, and what it recorded. */
export function createLedger({ callTimeoutMs = 0 } = {}) {
  const started: string[] = [];
  const ended: string[] = [];
  const timedOut: (string | number)[] = [];
  const audit = auditTrailOf({
    started: ({ callId }) => {
      started.push(callId);
      return Promise.resolve('recorded');
    },
    finished: (callId, outcome) => ended.push(`${callId}: ${outcome}`),
  });
  const ledger = new Ledger({ server: 'files', audit, limits: { callTimeoutMs } }, ({ id }) =>
    timedOut.push(id),
  );
  return { ledger, started, ended, timedOut };
}
