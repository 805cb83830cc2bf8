/** Stores what an agent requested as a row, an event and an audit event in one transaction. */
import type { Knex } from 'knex';
import type { z } from 'zod';
import { detailsByGrantType } from '../../contract/grant.ts';
import { maxJustificationLength } from '../../contract/permission-request.ts';
import { isTerminal, type Session } from '../../contract/session.ts';
import type { PermissionRequestAnswer, permissionRequestReport } from '../../contract/sidecar.ts';
import { type Db, inTransaction } from '../database.ts';
import { lockTree } from '../sessions/lock-tree.ts';
import { readSession } from '../sessions/read-session.ts';
import { announceRequest } from './announce-request.ts';
import { readPermissionRequest } from './read.ts';
import { type RequestLimits, refusalOf } from './refusal.ts';
import type { RequestRow } from './row.ts';

type Report = z.infer<typeof permissionRequestReport>;

/**
 * Opens a request for the session, or says why not. An identical open request or a repeated id returns the
 * existing request; the justification is truncated at 2,000 characters.
 */
export function openPermissionRequest(
  db: Db,
  sessionId: string,
  report: Report,
  limits: RequestLimits & { expirySeconds: number },
): Promise<PermissionRequestAnswer> {
  return inTransaction(db, async (trx) => {
    const lineage = await lockTree(trx, sessionId);
    const session = await readSession(trx, sessionId);
    if (session === null || isTerminal(session.status)) {
      return refused('invalid_request', 'the session has ended');
    }
    const details = detailsByGrantType[report.grant_type].safeParse(report.details);
    if (!details.success) {
      return refused('invalid_request', `details do not fit a ${report.grant_type} grant`);
    }
    const asked = { ...report, details: details.data };
    const known = await findKnown(trx, session, asked);
    if (known !== undefined) {
      return known.session_id === sessionId
        ? { status: 'sent', request_id: known.id, expires_at: known.expires_at }
        : refused('invalid_request', 'the request id is in use');
    }
    const refusal = await refusalOf(trx, { session, lineage, asked, limits });
    return refusal ?? insert(trx, { session, lineage, asked, expirySeconds: limits.expirySeconds });
  });
}

const refused = (code: 'invalid_request', message: string): PermissionRequestAnswer => ({
  status: 'refused',
  code,
  message,
});

function findKnown(trx: Knex.Transaction, session: Session, asked: Report): Promise<RequestRow | undefined> {
  return trx<RequestRow>('permission_requests')
    .where({ id: asked.request_id })
    .orWhere((same) =>
      same
        .where({
          session_id: session.id,
          grant_type: asked.grant_type,
          scope: asked.scope,
          status: 'open',
        })
        .whereRaw('details = ?::jsonb', [JSON.stringify(asked.details)]),
    )
    .orderByRaw('(id = ?) desc', [asked.request_id])
    .first();
}

async function insert(
  trx: Knex.Transaction,
  input: { session: Session; lineage: readonly string[]; asked: Report; expirySeconds: number },
): Promise<PermissionRequestAnswer> {
  const { session, lineage, asked } = input;
  await trx('permission_requests').insert({
    id: asked.request_id,
    workspace_id: session.workspace_id,
    session_id: session.id,
    agent_id: session.agent_id,
    grant_type: asked.grant_type,
    details: JSON.stringify(asked.details),
    scope: asked.scope,
    justification: asked.justification.slice(0, maxJustificationLength).toWellFormed(),
    refused_server: asked.refused_call?.server ?? null,
    refused_tool: asked.refused_call?.tool ?? null,
    expires_at: trx.raw(`now() + make_interval(secs => ?)`, [input.expirySeconds]),
  });
  const request = await readPermissionRequest(trx, asked.request_id);
  if (request === null) {
    throw new Error(`permission request ${asked.request_id} was not stored`);
  }
  await announceRequest(trx, { session, lineage, request });
  return { status: 'sent', request_id: request.id, expires_at: request.expires_at };
}
