/** Statements of the rules in `commands/permission-requests`. */
import type {
  PermissionRequest,
  PermissionRequestInput,
  RefusedCall,
  RequestStatus,
} from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { Transaction } from '../database.ts';
import { readPermissionRequest } from './read.ts';
import { presentRequest, requestColumns } from './row.ts';

interface Asked extends PermissionRequestInput {
  request_id: string;
  refused_call: RefusedCall | null;
}

/** The request with this id, else the session's open one that is equal in every field and about the same call, or null. */
export async function findKnownRequest(
  trx: Transaction,
  sessionId: string,
  asked: Asked,
): Promise<{ id: string; session_id: string; expires_at: string } | null> {
  const found = await trx('permission_requests')
    .where({ id: asked.request_id })
    .orWhere((same) =>
      same
        .where({
          session_id: sessionId,
          grant_type: asked.grant_type,
          scope: asked.scope,
          status: 'open',
        })
        .whereRaw('details = ?::jsonb', [JSON.stringify(asked.details)])
        .whereRaw(`coalesce(call_digest, '') = ?`, [asked.refused_call?.digest ?? '']),
    )
    .orderByRaw('(id = ?) desc', [asked.request_id])
    .first('id', 'session_id', 'expires_at');
  return found ?? null;
}

/** Inserts an open request, which expires after this time. */
export async function insertRequest(
  trx: Transaction,
  { session, asked, expirySeconds }: { session: Session; asked: Asked; expirySeconds: number },
): Promise<PermissionRequest> {
  await trx('permission_requests').insert({
    id: asked.request_id,
    workspace_id: session.workspace_id,
    session_id: session.id,
    agent_id: session.agent_id,
    grant_type: asked.grant_type,
    details: JSON.stringify(asked.details),
    scope: asked.scope,
    justification: asked.justification,
    refused_server: asked.refused_call?.server ?? null,
    refused_tool: asked.refused_call?.tool ?? null,
    call_digest: asked.refused_call?.digest ?? null,
    call_size_bytes: asked.refused_call?.arguments_size_bytes ?? null,
    expires_at: trx.raw(`now() + make_interval(secs => ?)`, [expirySeconds]),
  });
  const request = await readPermissionRequest(trx, asked.request_id);
  if (request === null) {
    throw new Error(`permission request ${asked.request_id} was not stored`);
  }
  return request;
}

/** The session that asked, or null when there is no such request. */
export async function findSessionOfRequest(trx: Transaction, id: string): Promise<string | null> {
  const found = await trx('permission_requests').where({ id }).first('session_id');
  return found?.session_id ?? null;
}

/** Writes how an open request ended; null, and nothing written, for one that is not open. */
export async function closeOpenRequest(
  trx: Transaction,
  id: string,
  ended: { status: RequestStatus; decidedBy: string | null; reason: string | null; grantId: string | null },
): Promise<{ request: PermissionRequest; workspaceId: string } | null> {
  const [row] = await trx('permission_requests')
    .where({ id, status: 'open' })
    .update({
      status: ended.status,
      decided_by: ended.decidedBy,
      decided_at: trx.raw('now()'),
      reason: ended.reason,
      grant_id: ended.grantId,
    })
    .returning(['workspace_id', ...requestColumns]);
  if (row === undefined) {
    return null;
  }
  const { workspace_id: workspaceId, ...rest } = row;
  return { request: presentRequest(rest), workspaceId };
}
