/** Zone 2: which secrets explicit grants expose to a session's agent, and the use of those grants at launch. */
import type { Knex } from 'knex';
import type { Grant } from '../../contract/grant.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { subjectMatter } from '../permission-requests/audit.ts';
import { derivedId } from '../session-events/derived-id.ts';
import { listActiveGrantsOfSession } from './read.ts';

/** Names of the secrets that an active `agent_env` grant lets this session's agent hold. Reads only. */
export async function readExposedSecrets(db: Db, sessionId: string): Promise<Set<string>> {
  const grants = await listActiveGrantsOfSession(db, sessionId, 'agent_env');
  return new Set(grants.map(secretNameOf));
}

/**
 * Uses one grant for each of the secrets, and consumes the `once` grants among them. Returns the names that no active
 * grant covers. Idempotent: a session's use of a secret counts once.
 */
export function useAgentEnvGrants(
  db: Db,
  { sessionId, secretNames }: { sessionId: string; secretNames: readonly string[] },
): Promise<string[]> {
  return inTransaction(db, async (trx) => {
    const refused: string[] = [];
    for (const secretName of secretNames) {
      if (!(await use(trx, sessionId, secretName))) {
        refused.push(secretName);
      }
    }
    return refused;
  });
}

async function use(trx: Knex.Transaction, sessionId: string, secretName: string): Promise<boolean> {
  const useId = derivedId(sessionId, 'agent_env', secretName);
  if (await isUsed(trx, useId)) {
    return true;
  }
  const grants = await listActiveGrantsOfSession(trx, sessionId, 'agent_env');
  const fitting = grants.filter((grant) => secretNameOf(grant) === secretName);
  for (const grant of fitting.sort((a, b) => Number(a.scope === 'once') - Number(b.scope === 'once'))) {
    if (await take(trx, grant, sessionId)) {
      await trx('grant_uses')
        .insert({ call_id: useId, grant_id: grant.id, session_id: sessionId, server: '', tool: secretName })
        .onConflict('call_id')
        .ignore();
      return true;
    }
  }
  return false;
}

async function isUsed(trx: Knex.Transaction, useId: string): Promise<boolean> {
  const prior = await trx('grant_uses as u')
    .join('grants as g', 'g.id', 'u.grant_id')
    .where('u.call_id', useId)
    .whereNull('g.revoked_at')
    .first('u.call_id');
  return prior !== undefined;
}

/** Locks and rechecks the grant: one that was revoked or consumed meanwhile is not used. */
async function take(trx: Knex.Transaction, grant: Grant, sessionId: string): Promise<boolean> {
  const active = trx('active_grants').where({ id: grant.id });
  if (grant.scope !== 'once') {
    return (await active.forShare().first('id')) !== undefined;
  }
  if ((await active.update({ consumed_at: trx.fn.now() })) === 0) {
    return false;
  }
  const { id, workspace_id: workspaceId, consumed_at: _consumed, revoked_at: _revoked, ...content } = grant;
  await appendAuditEvent(trx, {
    workspaceId,
    event: 'grant.consumed',
    actor: { type: 'agent', id: grant.agent_subject_id },
    resource: { type: 'grant', id, name: subjectMatter(grant.grant_type, grant.details) },
    sessionId,
    data: content,
  });
  return true;
}

const secretNameOf = (grant: Grant) => String(grant.details['secret_name']);
