import type { Session } from '../../contract/session.ts';
import type { ProcessKind, ProcessOutput } from '../../contract/session-process.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { readOutput } from '../../store/session-processes/read-output.ts';

/**
 * What a process wrote to stderr, as far as it is kept; audited in the same transaction. Null when there is none.
 * Throws UnreadableSecretError when the key that sealed it is missing.
 */
export function readProcessOutput(
  db: Db,
  keys: MasterKeys,
  { session, kind, name, userId }: { session: Session; kind: ProcessKind; name: string; userId: string },
): Promise<ProcessOutput | null> {
  return inTransaction(db, async (trx) => {
    const output = await readOutput(trx, keys, session.workspace_id, { sessionId: session.id, kind, name });
    if (output !== null) {
      await appendAuditEvent(trx, {
        workspaceId: session.workspace_id,
        event: 'session.output_read',
        actor: { type: 'user', id: userId },
        resource: { type: 'session', id: session.id, name },
        sessionId: session.id,
        data: { kind, name },
      });
    }
    return output;
  });
}
