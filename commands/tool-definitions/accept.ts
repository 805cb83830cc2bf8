import { mostNamedTools } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockMcpServerForUse } from '../../store/mcp-servers/lock.ts';
import { type AcceptedDefinition, acceptWaiting } from '../../store/tool-definitions/accept.ts';

/**
 * Accepts definitions that wait, by their ids: exactly what the admin read, whatever the server says since. Ids that wait no longer
 * change nothing. Returns how many were accepted now; null when the workspace has no entry of that name.
 */
export function acceptDefinitions(
  db: Db,
  { workspaceId, name, ids, userId }: { workspaceId: string; name: string; ids: string[]; userId: string },
): Promise<number | null> {
  return inTransaction(db, async (trx) => {
    const entry = await lockMcpServerForUse(trx, { workspaceId, name });
    if (entry === null) {
      return null;
    }
    const accepted = distinct(await acceptWaiting(trx, entry.id, ids, userId));
    if (accepted.length > 0) {
      const tools = accepted.filter(({ part }) => part === 'tool').map(({ tool }) => tool);
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'workspace.mcp.tools_accepted',
        actor: { type: 'user', id: userId },
        resource: { type: 'mcp_server', id: entry.id, name },
        data: {
          tools: tools.slice(0, mostNamedTools),
          more_tools: Math.max(0, tools.length - mostNamedTools),
          instructions: accepted.some(({ part }) => part === 'instructions'),
        },
      });
    }
    return accepted.length;
  });
}

/** One for each definition, in however many versions it was accepted. */
const distinct = (accepted: readonly AcceptedDefinition[]): AcceptedDefinition[] => [
  ...new Map(accepted.map((each) => [`${each.part} ${each.tool} ${each.digest}`, each])).values(),
];
