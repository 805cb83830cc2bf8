import type { FieldProblem } from '../../contract/errors.ts';

/** Of a field that names an archived agent for something that only others are for. */
export const agentArchivedProblem = (path: string): FieldProblem => ({
  path,
  code: 'agent_archived',
  message: 'the agent is archived: name another one, or unarchive it first',
});
