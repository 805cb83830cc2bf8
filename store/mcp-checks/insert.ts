import { attachmentProblems, referencedSecrets } from '../../contract/attachment-validation.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { JudgePattern } from '../../contract/patterns.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../database.ts';
import { mcpServerColumns, presentMcpServer } from '../mcp-servers/row.ts';
import { lockQuota } from '../quotas/lock-quota.ts';
import { QuotaExceededError } from '../quotas/quota-exceeded.ts';
import { readKnownSecrets } from '../secrets/read.ts';
import { removeSurplusChecks } from './erase.ts';
import { findCheck, readCheck } from './read.ts';
import type { CheckRow } from './row.ts';

export interface NewCheck {
  workspaceId: string;
  serverName: string;
  env: Record<string, string>;
  startedBy: string;
  idempotencyKey: string | null;
  /** Results of the entry's expressions on this env. */
  judge: JudgePattern;
  quotas: CheckQuotas;
}

/** By the names of their settings (config/quotas.ts). */
export interface CheckQuotas {
  LIMIT_RUNNING_CHECKS_PER_USER: number;
  LIMIT_RUNNING_CHECKS_PER_WORKSPACE: number;
}

export type InsertedCheck =
  | { result: 'stored'; check: CheckRow }
  | { result: 'invalid'; problems: FieldProblem[] }
  | { result: 'not_found' };

/**
 * Records a check of the entry's current version, with its audit event, by the rules of an attachment. Repeating the key
 * returns the check that it started. Throws QuotaExceededError.
 */
export function insertCheck(db: Db, input: NewCheck): Promise<InsertedCheck> {
  return inTransaction(db, async (trx) => {
    const { workspaceId, serverName: name, env, startedBy, judge } = input;
    await lockQuota(trx, { userId: startedBy });
    await lockQuota(trx, { workspaceId });
    const earlier = await findCheck(trx, input);
    if (earlier !== null) {
      return { result: 'stored', check: earlier };
    }
    const row: unknown = await trx('mcp_servers')
      .where({ workspace_id: workspaceId, name })
      .forShare()
      .first(mcpServerColumns);
    if (row === undefined) {
      return { result: 'not_found' };
    }
    const { id: serverId, manifest, version } = presentMcpServer(row);
    const secrets = await readKnownSecrets(trx, workspaceId, referencedSecrets(manifest, env));
    const problems = attachmentProblems({ name, manifest, env, secrets, judge });
    if (problems.length > 0) {
      return { result: 'invalid', problems };
    }
    await requireRoom(trx, input);
    await removeSurplusChecks(trx, workspaceId);
    return { result: 'stored', check: await write(trx, input, { serverId, version }) };
  });
}

async function requireRoom(trx: Transaction, { startedBy, workspaceId, quotas }: NewCheck): Promise<void> {
  const running = [
    [quotas.LIMIT_RUNNING_CHECKS_PER_USER, 'running checks per user', { started_by: startedBy }],
    [
      quotas.LIMIT_RUNNING_CHECKS_PER_WORKSPACE,
      'running checks per workspace',
      { workspace_id: workspaceId },
    ],
  ] as const;
  for (const [limit, what, of] of running) {
    const taken = await trx('mcp_checks').where(of).whereNull('ended_at').limit(limit).select('id');
    if (taken.length >= limit) {
      throw new QuotaExceededError(limit, `${what}; one has to end first`);
    }
  }
}

/** The event carries the names of the variables, not their values. */
async function write(
  trx: Transaction,
  { workspaceId, serverName, env, startedBy, idempotencyKey }: NewCheck,
  { serverId, version }: { serverId: string; version: number },
): Promise<CheckRow> {
  const [inserted] = await trx('mcp_checks')
    .insert({
      workspace_id: workspaceId,
      mcp_server_id: serverId,
      entry_version: version,
      env: JSON.stringify(env),
      started_by: startedBy,
      idempotency_key: idempotencyKey,
    })
    .returning<{ id: string }[]>('id');
  const check = inserted === undefined ? null : await readCheck(trx, inserted.id);
  if (check === null) {
    throw new Error('the check was not stored');
  }
  await appendAuditEvent(trx, {
    workspaceId,
    event: 'workspace.mcp.checked',
    actor: { type: 'user', id: startedBy },
    resource: { type: 'mcp_server', id: serverId, name: serverName },
    data: { check_id: check.id, version, fields: Object.keys(env).sort() },
  });
  return check;
}
