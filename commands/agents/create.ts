import type { Agent, AgentInput } from '../../contract/agent.ts';
import { modelProblems } from '../../contract/agent-references.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { insertAgent } from '../../store/agents/change.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { findSimilarName } from '../../store/shown-names.ts';
import { requireRoomInWorkspace } from '../quotas/room-in-workspace.ts';
import { problemsInWorkspace } from './problems-in-workspace.ts';

export type SavedAgent =
  | { result: 'saved'; agent: Agent }
  | { result: 'invalid'; problems: FieldProblem[] }
  /** `by`: the name that the workspace has; null when that is gone again. */
  | { result: 'name_taken'; by: string | null };

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
    const problems = [...(await problemsInWorkspace(trx, workspaceId, input)), ...modelProblems(input)];
    if (problems.length > 0) {
      return { result: 'invalid', problems };
    }
    const agent = await insertAgent(trx, { workspaceId, ownerId: userId, input });
    if (agent === null) {
      const by = await findSimilarName(trx, 'agents', { workspaceId, name: input.name });
      return { result: 'name_taken', by };
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'agent.created',
      actor: { type: 'user', id: userId },
      resource: { type: 'agent', id: agent.id, name: agent.name },
    });
    return { result: 'saved', agent };
  });
}
