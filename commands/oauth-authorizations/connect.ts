import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockRegistration } from '../../store/mcp-registrations/read.ts';
import { lockMembers } from '../../store/members/lock-members.ts';
import { settleConnected } from '../../store/oauth-authorizations/change.ts';
import type { AuthorizationRow } from '../../store/oauth-authorizations/row.ts';
import { insertConnection, type NewTokens } from '../../store/oauth-connections/change.ts';
import { readConnection } from '../../store/oauth-connections/read.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { type BoundTo, bindingOf, isBoundTo } from '../oauth-connections/binding.ts';
import { endSignIn } from '../oauth-connections/end.ts';

export interface NewSignIn {
  authorization: AuthorizationRow;
  /** What was begun with. */
  begun: BoundTo;
  tokens: NewTokens;
}

/**
 * Stores what a person has signed in to; a sign-in that they had there before is replaced. Returns the ids of the authorizations that are over with
 * it, or null when the tokens are not wanted: the person has left, or the server is another by now.
 */
export function connect(
  db: Db,
  keys: MasterKeys,
  { authorization, begun, tokens }: NewSignIn,
): Promise<string[] | null> {
  const { workspace_id, user_id, registration_id, scopes } = authorization;
  return inTransaction(db, async (trx) => {
    // A removal of the member ends their connections: it waits for this transaction, or is seen here.
    if (!(await lockMembers(trx, workspace_id, [user_id])).has(user_id)) {
      return null;
    }
    const registration = await lockRegistration(trx, registration_id);
    const found = registration === null ? null : await bindingOf(trx, registration);
    if (registration === null || found?.kind !== 'bound' || !isBoundTo(begun, found.binding)) {
      return null;
    }
    const key = { registrationId: registration_id, userId: user_id };
    const before = await readConnection(trx, key);
    if (before !== null) {
      await endSignIn(trx, before, isBoundTo(before, found.binding) ? 'replaced' : 'unbound');
    }
    const id = await insertConnection(
      trx,
      keys,
      { workspace_id, user_id, registration_id, ...begun, requested_scopes: scopes },
      tokens,
    );
    await appendAuditEvent(trx, {
      workspaceId: workspace_id,
      event: 'connection.created',
      actor: { type: 'user', id: user_id },
      resource: { type: 'oauth_connection', id, name: registration.entry_name },
      data: { user_id, issuer: begun.issuer, resource: begun.resource, scopes: tokens.scopes ?? scopes },
    });
    return settleConnected(trx, { ...key, id: authorization.id, scopes: tokens.scopes ?? scopes });
  });
}
