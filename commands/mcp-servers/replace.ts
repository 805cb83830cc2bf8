import { isDeepStrictEqual } from 'node:util';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { type DecidedFields, updateMcpServerRow } from '../../store/mcp-servers/change.ts';
import { lockMcpServerForChange } from '../../store/mcp-servers/lock.ts';
import { carryDefinitions, removeOldDefinitions } from '../../store/tool-definitions/record.ts';
import { followEntry } from '../mcp-registrations/follow-entry.ts';
import { decidedFields, type EntrySave } from './decided-fields.ts';
import type { SavedEntry } from './register.ts';

/**
 * Replaces what an admin decides of the entry and increments its version; null when there is none of that name.
 * Identical content changes nothing and writes no event.
 */
export async function replaceMcpServer(
  db: Db,
  workspaceId: string,
  { input, image, userId, addresses }: EntrySave,
): Promise<SavedEntry | null> {
  return inTransaction(db, async (trx) => {
    const before = await lockMcpServerForChange(trx, { workspaceId, name: input.name });
    if (before === null) {
      return null;
    }
    const fields = decidedFields(input, image);
    const changed = (Object.keys(fields) as (keyof DecidedFields)[]).filter(
      (field) => !isDeepStrictEqual(before[field], fields[field]),
    );
    if (changed.length === 0) {
      return { server: before, registrationId: null };
    }
    const version = before.version + 1;
    const server = await updateMcpServerRow(trx, before.id, { version, fields, userId });
    const earlier = { workspaceId, entryId: before.id, version: before.version };
    if (!changed.includes('shape') && !changed.includes('image_digest')) {
      await carryDefinitions(trx, earlier);
    }
    await removeOldDefinitions(trx, { ...earlier, version });
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.updated',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: before.id, name: before.name },
      data: {
        changed,
        version,
        ...(changed.includes('image_digest')
          ? { image_digest: { old: before.image_digest, new: fields.image_digest } }
          : {}),
      },
    });
    return { server, registrationId: await followEntry(trx, server, workspaceId, addresses) };
  });
}
