/** Closing a workspace, and opening it again. Removing one is the operator's, and no route. */
import * as z from 'zod';
import { closeWorkspace, reopenWorkspace } from '../../commands/workspaces/close.ts';
import { endInClosed, tellTemporal } from '../../commands/workspaces/end-in-closed.ts';
import { workspace } from '../../contract/workspace.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, invalid, notFound } from '../errors.ts';
import { followUp } from '../follow-up.ts';
import { admins } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { WorkflowClient } from '../workflow-client.ts';

export interface ClosingDependencies extends Pick<ApiDependencies, 'db' | 'log'> {
  workflows: WorkflowClient;
}

const answer = z.strictObject({ workspace });
/** How long a closed workspace can be opened again; then workers remove it. */
const reopenableDays = 30;

export function closingRoutes(dependencies: ClosingDependencies): AnyRoute[] {
  const { db } = dependencies;
  const finish = endingIn(dependencies);
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
          reopenableDays,
        });
        switch (closed.result) {
          case 'not_found':
            throw notFound('The workspace');
          case 'other_name':
            throw invalid([
              { path: 'name', code: 'other_name', message: 'is not the name of this workspace' },
            ]);
          case 'closed':
            await finish(id);
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

/**
 * Ends what goes on in a closed workspace, once at a time however often it is closed. It is closed whatever
 * becomes of this: a worker ends later what could not be ended now.
 */
function endingIn({ db, log, workflows }: ClosingDependencies): (workspaceId: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  return (id) => {
    const tell = tellTemporal({ db, workflows, schedules: workflows.schedules });
    const ending = underWay.get(id) ?? endInClosed(db, id, tell).finally(() => void underWay.delete(id));
    underWay.set(id, ending);
    return followUp(log, ending, {
      message: 'what is left in a closed workspace ends later',
      workspace_id: id,
    });
  };
}
