import { attachmentProblems, referencedSecrets } from '../../contract/attachment-validation.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { JudgePattern } from '../../contract/patterns.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { removeSurplusChecks } from '../../store/mcp-checks/erase.ts';
import { insertCheck, type NewCheck } from '../../store/mcp-checks/insert.ts';
import { findCheck } from '../../store/mcp-checks/read.ts';
import type { CheckRow } from '../../store/mcp-checks/row.ts';
import { lockMcpServerForUse } from '../../store/mcp-servers/lock.ts';
import { countUnfinishedChecks } from '../../store/quotas/counts.ts';
import { lockBothQuotas } from '../../store/quotas/lock-quota.ts';
import { readKnownSecrets } from '../../store/secrets/read.ts';
import { requireRoomToRun } from '../quotas/room-to-run.ts';

export interface CheckInput extends NewCheck {
  serverName: string;
  /** Results of the entry's expressions on this env. */
  judge: JudgePattern;
  quotas: CheckQuotas;
}

/** By the names of their settings (config/quotas.ts). */
export interface CheckQuotas {
  LIMIT_RUNNING_CHECKS_PER_USER: number;
  LIMIT_RUNNING_CHECKS_PER_WORKSPACE: number;
}

export type CreatedCheck =
  | { result: 'stored'; check: CheckRow }
  | { result: 'invalid'; problems: FieldProblem[] }
  | { result: 'not_found' };

/**
 * Records a check of the entry's current version, with its audit event, by the rules of an attachment. Repeating the key
 * returns the check that it started. Throws QuotaExceededError.
 */
export function createCheck(db: Db, input: CheckInput): Promise<CreatedCheck> {
  return inTransaction(db, async (trx) => {
    const { workspaceId, serverName: name, env, startedBy, judge, quotas } = input;
    await lockBothQuotas(trx, { userId: startedBy, workspaceId });
    const earlier = await findCheck(trx, input);
    if (earlier !== null) {
      return { result: 'stored', check: earlier };
    }
    const entry = await lockMcpServerForUse(trx, { workspaceId, name });
    if (entry === null) {
      return { result: 'not_found' };
    }
    const { id: serverId, manifest, version } = entry;
    const secrets = await readKnownSecrets(trx, workspaceId, referencedSecrets(manifest, env));
    const problems = attachmentProblems({ name, manifest, env, secrets, judge });
    if (problems.length > 0) {
      return { result: 'invalid', problems };
    }
    await requireRoomToRun(
      trx,
      { userId: startedBy, workspaceId },
      {
        what: 'checks',
        perUser: quotas.LIMIT_RUNNING_CHECKS_PER_USER,
        perWorkspace: quotas.LIMIT_RUNNING_CHECKS_PER_WORKSPACE,
        count: countUnfinishedChecks,
      },
    );
    await removeSurplusChecks(trx, workspaceId);
    const check = await insertCheck(trx, input, { serverId, version });
    // The names of the variables, not their values.
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.checked',
      actor: { type: 'user', id: startedBy },
      resource: { type: 'mcp_server', id: serverId, name },
      data: { check_id: check.id, version, fields: Object.keys(env).sort() },
    });
    return { result: 'stored', check };
  });
}
