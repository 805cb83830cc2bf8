/** The check of a catalog entry: it is asked for, reports, ends, and what its server wrote is read. */
import { attachmentProblems, referencedSecrets } from '../../contract/attachment-validation.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { ToolListing } from '../../contract/mcp-check.ts';
import type { JudgePattern } from '../../contract/patterns.ts';
import { maxOutputBytes } from '../../contract/process-reports.ts';
import type { ProcessOutput, ProcessReport } from '../../contract/session-process.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import {
  type CheckEnding,
  type CheckRow,
  findCheck,
  insertCheck,
  lockUnfinishedCheck,
  type NewCheck,
  removeSurplusChecks,
  updateCheckEnding,
  updateCheckProcess,
} from '../../store/mcp-checks/checks.ts';
import { eraseCheckText, readCheckText, storeCheckText } from '../../store/mcp-checks/texts.ts';
import { lockMcpServerForUse } from '../../store/mcp-servers/mcp-servers.ts';
import { countUnfinishedChecks, lockBothQuotas } from '../../store/quotas/quotas.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import { requireRoomToRun } from '../quotas/quotas.ts';

interface CheckInput extends NewCheck {
  serverName: string;
  /** Results of the entry's expressions on this env. */
  judge: JudgePattern;
  quotas: CheckQuotas;
}

/** By their names in the configuration (config/limits.ts, config/fixed-limits.ts). */
interface CheckQuotas {
  LIMIT_RUNNING_CHECKS_PER_USER: number;
  LIMIT_RUNNING_CHECKS_PER_WORKSPACE: number;
}

type CreatedCheck =
  | { result: 'stored'; check: CheckRow }
  | { result: 'invalid'; problems: FieldProblem[] }
  | { result: 'not_found' };

/**
 * Records a check of the entry's current version, with its audit event, by the rules of an attachment.
 * Repeating the key returns the check that it started. Throws QuotaExceededError.
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

/**
 * Stores the state of a check's server, and seals its output. Ignores stale reports
 * and reports of other processes, such as the program that asks the server for its tools.
 */
export async function recordCheckProcess(
  db: Db,
  keys: MasterKeys,
  check: CheckRow,
  report: ProcessReport,
): Promise<void> {
  const { kind, name, sidecar_run, revision, output, faults = [], ...facts } = report;
  if (kind !== 'server' || name !== check.server_name) {
    return;
  }
  await inTransaction(db, async (trx) => {
    const taken = await updateCheckProcess(trx, check.id, {
      sidecar_run,
      revision,
      process: { ...facts, faults },
    });
    if (taken && output !== undefined) {
      const bytes = Buffer.from(output.base64, 'base64').subarray(-maxOutputBytes);
      const key = { workspaceId: check.workspace_id, checkId: check.id, kind: 'output' } as const;
      await storeCheckText(trx, keys, key, { bytes, writtenBytes: output.written_bytes });
    }
  });
}

/**
 * Seals and stores what the server of a check listed, until the check ends. False when the check has ended.
 */
export function storeListing(db: Db, keys: MasterKeys, check: CheckRow, bytes: Buffer): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await lockUnfinishedCheck(trx, check.id))) {
      return false;
    }
    const key = { workspaceId: check.workspace_id, checkId: check.id, kind: 'raw_listing' } as const;
    await storeCheckText(trx, keys, key, { bytes, writtenBytes: bytes.length });
    return true;
  });
}

/**
 * Ends a check: erases what its server listed, and stores what may be shown of it, if anything. Does nothing
 * to a check that has ended.
 */
export async function endCheck(
  db: Db,
  keys: MasterKeys,
  check: CheckRow,
  { shown, ending }: { shown: ToolListing | null; ending: CheckEnding },
): Promise<void> {
  const key = { workspaceId: check.workspace_id, checkId: check.id };
  await inTransaction(db, async (trx) => {
    if (!(await lockUnfinishedCheck(trx, check.id))) {
      return;
    }
    await eraseCheckText(trx, { ...key, kind: 'raw_listing' });
    if (shown !== null) {
      const bytes = Buffer.from(JSON.stringify(shown));
      await storeCheckText(trx, keys, { ...key, kind: 'listing' }, { bytes, writtenBytes: bytes.length });
    }
    await updateCheckEnding(trx, check.id, ending);
  });
}

/**
 * What the server of a check wrote to stderr, as far as it is kept; audited in the same transaction. Null
 * when there is none. Throws UnreadableSecretError when the key that sealed it is missing.
 */
export function readCheckOutput(
  db: Db,
  keys: MasterKeys,
  { check, userId }: { check: CheckRow; userId: string },
): Promise<ProcessOutput | null> {
  const { workspace_id: workspaceId, id: checkId } = check;
  return inTransaction(db, async (trx) => {
    const output = await readCheckText(trx, keys, { workspaceId, checkId, kind: 'output' });
    if (output === null) {
      return null;
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.check_output_read',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: check.mcp_server_id, name: check.server_name },
      data: { check_id: checkId },
    });
    return {
      text: output.bytes.toString('utf8'),
      size_bytes: output.bytes.length,
      written_bytes: output.writtenBytes,
      updated_at: output.updatedAt,
    };
  });
}
