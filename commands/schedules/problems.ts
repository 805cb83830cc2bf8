import type { FieldProblem } from '../../contract/errors.ts';
import { notForSchedules } from '../../contract/remote-server-validation.ts';
import { type ScheduleInput, shortestSeconds } from '../../contract/schedule.ts';
import { keepAgents } from '../../store/agents/keep-agents.ts';
import { listSignInAttachments } from '../../store/attachments/read-for-launch.ts';
import type { Transaction } from '../../store/database.ts';
import { agentArchivedProblem } from '../agents/archived-problem.ts';

/**
 * What cannot be as asked: an agent that is not of the workspace, is archived or needs somebody who signs in, and runs that follow too closely. The agent stays until the
 * transaction ends; what it attaches is looked at again when a session starts.
 */
export async function scheduleProblems(
  trx: Transaction,
  workspaceId: string,
  { agent_id: agentId, spec }: ScheduleInput,
  { shortestIntervalSeconds }: { shortestIntervalSeconds: number },
): Promise<FieldProblem[]> {
  const problems = await agentProblems(trx, workspaceId, agentId);
  const shortest = shortestSeconds(spec);
  if (shortest < shortestIntervalSeconds) {
    problems.push({
      path: spec.kind === 'cron' ? 'spec.expression' : 'spec.every_seconds',
      code: 'too_often',
      message: `runs every ${shortest} seconds; the shortest time between two runs is ${shortestIntervalSeconds} seconds`,
    });
  }
  return problems;
}

async function agentProblems(
  trx: Transaction,
  workspaceId: string,
  agentId: string,
): Promise<FieldProblem[]> {
  const path = 'agent_id';
  const agent = (await keepAgents(trx, workspaceId, [agentId])).get(agentId);
  if (agent === undefined) {
    return [{ path, code: 'unknown_agent', message: 'there is no such agent in this workspace' }];
  }
  if (agent.isArchived) {
    return [agentArchivedProblem(path)];
  }
  const servers = await listSignInAttachments(trx, agentId);
  return servers.map((name) => ({ path, code: 'needs_sign_in', message: `"${name}" ${notForSchedules}` }));
}
