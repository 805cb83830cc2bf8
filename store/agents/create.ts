import type { Agent, AgentInput } from '../../contract/agent.ts';
import { agentProblems, secretReferences } from '../../contract/agent-references.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { requireRoomInWorkspace } from '../quotas/stored-in-workspace.ts';
import { readKnownSecrets } from '../secrets/read.ts';
import { agentColumns, agentRow, presentAgent } from './row.ts';

export type SavedAgent =
  | { result: 'saved'; agent: Agent }
  | { result: 'invalid'; problems: FieldProblem[] }
  | { result: 'name_taken' };

/** Problems of what is being saved, given the workspace's current secrets. */
export async function problemsInWorkspace(
  db: Db,
  workspaceId: string,
  fields: Parameters<typeof agentProblems>[0],
): Promise<FieldProblem[]> {
  const names = secretReferences(fields).map(({ secretName }) => secretName);
  return agentProblems(fields, await readKnownSecrets(db, workspaceId, names));
}

/** Adds an agent that belongs to its creator. Throws QuotaExceededError at the workspace's limit. */
export async function createAgent(
  db: Db,
  workspaceId: string,
  input: AgentInput,
  userId: string,
  quota: { limit: number } | null = null,
): Promise<SavedAgent> {
  return inTransaction(db, async (trx) => {
    if (quota !== null) {
      await requireRoomInWorkspace(trx, workspaceId, 'agents', quota);
    }
    const problems = await problemsInWorkspace(trx, workspaceId, input);
    if (problems.length > 0) {
      return { result: 'invalid', problems };
    }
    const [row] = await trx('agents')
      .insert({ ...agentRow(input), workspace_id: workspaceId, owner_id: userId })
      .onConflict(['workspace_id', 'name'])
      .ignore()
      .returning(agentColumns);
    if (row === undefined) {
      return { result: 'name_taken' };
    }
    const agent = presentAgent(row);
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'agent.created',
      actor: { type: 'user', id: userId },
      resource: { type: 'agent', id: agent.id, name: agent.name },
    });
    return { result: 'saved', agent };
  });
}
