import type { Session } from '../../contract/session.ts';
import type { ProcessKind, ProcessOutput } from '../../contract/session-process.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import type { MasterKeys } from '../secrets/envelope.ts';
import { openOutput } from './output-seal.ts';

/**
 * What a process wrote to stderr, as far as it is kept; audited in the same transaction. Null when there is none.
 * Throws UnreadableSecretError when the key that sealed it is missing.
 */
export async function readProcessOutput(
  db: Db,
  keys: MasterKeys,
  { session, kind, name, userId }: { session: Session; kind: ProcessKind; name: string; userId: string },
): Promise<ProcessOutput | null> {
  return inTransaction(db, async (trx) => {
    const row = await trx('session_processes')
      .where({ session_id: session.id, kind, name })
      .whereNotNull('sealed_output')
      .first();
    if (row === undefined) {
      return null;
    }
    const bytes = openOutput(keys, session.workspace_id, { sessionId: session.id, kind, name }, row);
    await appendAuditEvent(trx, {
      workspaceId: session.workspace_id,
      event: 'session.output_read',
      actor: { type: 'user', id: userId },
      resource: { type: 'session', id: session.id, name },
      sessionId: session.id,
      data: { kind, name },
    });
    return {
      text: bytes.toString('utf8'),
      size_bytes: row.output_size_bytes,
      written_bytes: Number(row.output_written_bytes),
      updated_at: row.output_updated_at,
    };
  });
}
