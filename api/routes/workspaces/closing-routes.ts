/** Closing a workspace, and opening it again. Removing one is the operator's, and no route. */
import * as z from 'zod';
import { closeWorkspace, reopenWorkspace } from '../../../commands/workspaces/close.ts';
import { type EndedInClosed, endInClosed } from '../../../commands/workspaces/end-in-closed.ts';
import { sessionSignals } from '../../../contract/workflows.ts';
import { workspace } from '../../../contract/workspace.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { ApiError, invalid, notFound } from '../../errors.ts';
import { admins } from '../../policies/access.ts';
import { beginRegistration } from '../../remote-servers/begin-registration.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';
import { followSchedules } from '../../schedules/follow.ts';
import type { WorkflowClient } from '../../workflow-client.ts';

export interface ClosingDependencies extends Pick<ApiDependencies, 'db' | 'config' | 'log'> {
  workflows: WorkflowClient;
}

const answer = z.strictObject({ workspace });

export function closingRoutes(dependencies: ClosingDependencies): AnyRoute[] {
  const { db, config } = dependencies;
  return [
    defineRoute({
      method: 'post',
      path: '/workspaces/{slug}/close',
      summary:
        'Close a workspace: nothing begins there any more, its sessions end, its grants, sign-ins and registrations are revoked, and its schedules pause; `name` is its name, as a confirmation',
      scope: 'workspace',
      stops: true,
      access: admins('workspace.close'),
      body: z.strictObject({ name: z.string().max(200) }),
      response: answer,
      async handler({ workspace: { id }, user, body: { name } }) {
        const closed = await closeWorkspace(db, {
          workspaceId: id,
          userId: user.id,
          name,
          reopenableDays: config.WORKSPACE_REOPENABLE_DAYS,
        });
        switch (closed.result) {
          case 'not_found':
            throw notFound('The workspace');
          case 'other_name':
            throw invalid([
              { path: 'name', code: 'other_name', message: 'is not the name of this workspace' },
            ]);
          case 'closed':
            await finish(dependencies, id);
            return { workspace: closed.workspace };
        }
      },
    }),
    defineRoute({
      method: 'post',
      path: '/workspaces/{slug}/reopen',
      summary:
        'Open a closed workspace again; no session, grant, sign-in, registration or run of a schedule comes back by itself',
      scope: 'workspace',
      isForClosed: true,
      access: admins('workspace.close'),
      body: z.strictObject({}),
      response: answer,
      async handler({ workspace: { id }, user }) {
        const reopened = await reopenWorkspace(db, { workspaceId: id, userId: user.id });
        switch (reopened.result) {
          case 'not_found':
            throw notFound('The workspace');
          case 'still_closing':
            throw new ApiError('conflict', 'The workspace is still being closed: try again in a minute');
          case 'too_late':
            throw new ApiError('conflict', 'The time in which the workspace could be reopened is over');
          case 'open':
            return { workspace: reopened.workspace };
        }
      },
    }),
  ];
}

/** The workspace is closed whatever becomes of this: a worker ends later what could not be ended now. */
async function finish(dependencies: ClosingDependencies, id: string): Promise<void> {
  const { db, log } = dependencies;
  await endInClosed(db, id, (ended) => tell(dependencies, ended)).catch((err: unknown) =>
    log.warn({ err, workspace_id: id }, 'what is left in a closed workspace ends later'),
  );
}

async function tell(
  dependencies: ClosingDependencies,
  { sessionIds, pausedScheduleIds, registrationIds, checkIds }: EndedInClosed,
): Promise<void> {
  const { workflows } = dependencies;
  await Promise.all([
    followSchedules(dependencies, pausedScheduleIds),
    ...registrationIds.map((id) => beginRegistration(dependencies, id)),
    ...checkIds.map((id) => workflows.cancelCheck(id)),
    ...sessionIds.map((id) => workflows.signalSession(id, sessionSignals.terminate)),
  ]);
}
