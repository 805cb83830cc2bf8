/** Archiving an agent, the usual way to be done with it, and taking it back into use. */
import * as z from 'zod';
import { archiveAgent, type ToTell, unarchiveAgent } from '../../commands/agents/archive.ts';
import { type Agent, runningSessions } from '../../contract/agent.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, notFound } from '../errors.ts';
import { agentEditors } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { type FollowDependencies, followSchedules } from '../schedules/follow.ts';
import { announceInput } from '../sessions/announce-input.ts';
import { tellEnding } from '../sessions/tell-ending.ts';
import type { WorkflowClient } from '../workflow-client.ts';
import type { shownAgent } from './present.ts';

export interface ArchiveDependencies extends Pick<ApiDependencies, 'db' | 'log'> {
  workflows: Pick<WorkflowClient, 'signalSession'> & FollowDependencies['workflows'];
}

type Answer = z.ZodObject<{ agent: typeof shownAgent }>;

/** `answerWith` shows an agent as the other routes do. */
export function archiveRoutes(
  dependencies: ArchiveDependencies,
  answer: Answer,
  answerWith: (agent: Agent) => Promise<z.infer<Answer>>,
): AnyRoute[] {
  const { db } = dependencies;
  return [
    defineRoute({
      method: 'post',
      path: '/agents/{agent_id}/archive',
      summary:
        'Archive an agent: nothing starts it, its grants are revoked, its open requests closed, its schedules pause, and no channel lists it; while sessions of it run, `running_sessions` says what happens to them',
      scope: 'agent',
      stops: true,
      access: agentEditors,
      body: z.strictObject({ running_sessions: runningSessions.optional() }),
      response: answer,
      async handler({ user, agent, body: { running_sessions: choice } }) {
        const archived = await archiveAgent(db, {
          agentId: agent.id,
          userId: user.id,
          runningSessions: choice ?? null,
        });
        switch (archived.result) {
          case 'not_found':
            throw notFound('The agent');
          case 'in_use':
            throw new ApiError(
              'in_use',
              'Sessions of this agent are running: say in running_sessions whether they end (end) or continue without its grants (let_finish)',
              { uses: archived.uses },
            );
          case 'busy':
            throw new ApiError('conflict', 'Sessions of this agent are being started right now: try again');
          case 'archived':
            await tell(dependencies, archived.toTell);
            return answerWith(archived.agent);
        }
      },
    }),
    defineRoute({
      method: 'post',
      path: '/agents/{agent_id}/unarchive',
      summary:
        'Take an archived agent back into use; its grants, its places in channels and the runs of its schedules have to be given again',
      scope: 'agent',
      access: agentEditors,
      body: z.strictObject({}),
      response: answer,
      async handler({ user, agent }) {
        const back = await unarchiveAgent(db, { agentId: agent.id, userId: user.id });
        if (back === null) {
          throw notFound('The agent');
        }
        return answerWith(back);
      },
    }),
  ];
}

async function tell(
  dependencies: ArchiveDependencies,
  { endedSessionIds, pausedScheduleIds, messages }: ToTell,
): Promise<void> {
  await Promise.all([
    followSchedules(dependencies, pausedScheduleIds),
    ...messages.map((message) => announceInput(dependencies, message)),
    ...endedSessionIds.map((id) => tellEnding(dependencies, id)),
  ]);
}
