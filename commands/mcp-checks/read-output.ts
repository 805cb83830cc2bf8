import type { ProcessOutput } from '../../contract/session-process.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import type { CheckRow } from '../../store/mcp-checks/row.ts';
import { readCheckText } from '../../store/mcp-checks/texts.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';

/**
 * What the server of a check wrote to stderr, as far as it is kept; audited in the same transaction. Null when there is
 * none. Throws UnreadableSecretError when the key that sealed it is missing.
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
