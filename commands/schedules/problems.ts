import type { FieldProblem } from '../../contract/errors.ts';
import { type ScheduleInput, shortestSeconds } from '../../contract/schedule.ts';
import { keepAgents } from '../../store/agents/keep-agents.ts';
import type { Transaction } from '../../store/database.ts';

/** What cannot be as asked: an agent that is not of the workspace, and runs that follow too closely. The agent stays until the transaction ends. */
export async function scheduleProblems(
  trx: Transaction,
  workspaceId: string,
  { agent_id: agentId, spec }: ScheduleInput,
  { shortestIntervalSeconds }: { shortestIntervalSeconds: number },
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = [];
  if (!(await keepAgents(trx, workspaceId, [agentId])).has(agentId)) {
    problems.push({
      path: 'agent_id',
      code: 'unknown_agent',
      message: 'there is no such agent in this workspace',
    });
  }
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
