/**
 * Each way in which a request closes, once, with its own outcome: a timeout is never reported as a denial.
 */
import { type GrantScope, subjectMatter } from '../../contract/grant.ts';
import { startNow } from '../../contract/how-to-ask.ts';
import type { UsedPasskey } from '../../contract/passkey.ts';
import type { PermissionDecision, PermissionRequest } from '../../contract/permission-request.ts';
import { type Actor, systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  closeOpenRequest,
  findSessionOfRequest,
  requestResource,
} from '../../store/permission-requests/requests.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { addSessionInput } from '../../store/session-inputs/inputs.ts';
import { lockTree } from '../../store/sessions/tree.ts';
import { readUser } from '../../store/users/users.ts';

const durations = { once: 'once', session: 'for this session', persistent: 'persistently' } as const;

/**
 * The outcome as the agent reads it. `exactCall`: the grant permits no other call than the one that was
 * refused.
 */
export function decisionText(
  decision: PermissionDecision,
  decidedBy: string,
  { exactCall }: { exactCall: boolean },
): string {
  const request = `Permission request ${decision.request_id} for ${subjectMatter(decision.grant_type, decision.details)}`;
  const because = decision.reason ? ` Reason: ${decision.reason}` : '';
  switch (decision.status) {
    case 'approved': {
      const duration = decision.scope === null ? '' : ` ${durations[decision.scope]}`;
      const call = exactCall ? ', for exactly the refused call,' : '';
      return `${request} was approved${duration}${call} by ${decidedBy} (grant ${decision.grant_id}). ${whatNow(decision)}${because}`;
    }
    case 'denied':
      return `${request} was denied by ${decidedBy}. Do not ask for it again.${because}`;
    case 'expired':
      return `${request} expired: nobody decided it in time.`;
    case 'cancelled':
      return `${request} was cancelled.${because}`;
  }
}

const whatNow = ({ grant_type, details }: PermissionDecision) =>
  grant_type === 'spawn' ? startNow(details['child_agent_id']) : 'You can retry the call.';

export interface Closing {
  status: 'denied' | 'expired' | 'cancelled';
  decidedBy?: string;
  reason?: string | null;
}

/** Closes an open request without a grant; false when it was already closed, or never existed. */
export function closePermissionRequest(db: Db, id: string, closing: Closing): Promise<boolean> {
  return inTransaction(db, (trx) =>
    close(trx, id, {
      status: closing.status,
      decidedBy: closing.decidedBy ?? null,
      reason: closing.reason ?? null,
      grant: null,
      passkey: null,
    }),
  );
}

/**
 * Closes an open request with the grant that answers it, written in the same transaction; false when it was
 * closed already.
 */
export function markApproved(
  trx: Transaction,
  id: string,
  approval: {
    grantId: string;
    scope: GrantScope;
    exactCall: boolean;
    decidedBy: string;
    reason: string | null;
    passkey?: UsedPasskey | null;
  },
): Promise<boolean> {
  return close(trx, id, {
    status: 'approved',
    decidedBy: approval.decidedBy,
    reason: approval.reason,
    grant: { id: approval.grantId, scope: approval.scope, exactCall: approval.exactCall },
    passkey: approval.passkey ?? null,
  });
}

interface Outcome {
  status: PermissionDecision['status'];
  decidedBy: string | null;
  reason: string | null;
  grant: { id: string; scope: GrantScope; exactCall: boolean } | null;
  passkey: UsedPasskey | null;
}

async function close(trx: Transaction, id: string, outcome: Outcome): Promise<boolean> {
  const sessionId = await findSessionOfRequest(trx, id);
  if (sessionId === null) {
    return false;
  }
  const lineage = await lockTree(trx, sessionId);
  const closed = await closeOpenRequest(trx, id, { ...outcome, grantId: outcome.grant?.id ?? null });
  if (closed === null) {
    return false;
  }
  await announce(trx, { ...closed, lineage, outcome });
  return true;
}

async function announce(
  trx: Transaction,
  closed: {
    request: PermissionRequest;
    workspaceId: string;
    lineage: readonly string[];
    outcome: Outcome;
  },
): Promise<void> {
  const { request, workspaceId, lineage, outcome } = closed;
  const actor: Actor = outcome.decidedBy ? { type: 'user', id: outcome.decidedBy } : systemActor;
  const decision: PermissionDecision = {
    request_id: request.id,
    grant_type: request.grant_type,
    details: request.details,
    status: outcome.status,
    scope: outcome.grant?.scope ?? null,
    grant_id: outcome.grant?.id ?? null,
    reason: outcome.reason,
  };
  for (const sessionId of lineage) {
    await appendSessionEvent(trx, sessionId, {
      id: derivedId(request.id, 'decided', sessionId),
      type: 'permission.decided',
      actor,
      payload: {
        ...decision,
        decided_by: outcome.decidedBy,
        ...(outcome.grant?.exactCall === true ? { exact_call: true } : {}),
      },
    });
  }
  await addSessionInput(trx, request.session_id, {
    id: derivedId(request.id, 'decision'),
    kind: 'permission_decision',
    text: decisionText(decision, await nameOfUser(trx, outcome.decidedBy), {
      exactCall: outcome.grant?.exactCall ?? false,
    }),
    decision,
    inputRequestId: null,
  });
  await appendAuditEvent(trx, {
    id: derivedId(request.id, 'closed'),
    workspaceId,
    event: `permission_request.${outcome.status}`,
    actor,
    resource: requestResource(request),
    sessionId: request.session_id,
    data: {
      grant_type: request.grant_type,
      details: request.details,
      scope: decision.scope,
      grant_id: decision.grant_id,
      reason: decision.reason,
      ...(outcome.passkey === null ? {} : { passkey: outcome.passkey }),
    },
  });
}

async function nameOfUser(trx: Transaction, id: string | null): Promise<string> {
  const user = id === null ? null : await readUser(trx, id);
  return user?.name ?? 'the platform';
}
