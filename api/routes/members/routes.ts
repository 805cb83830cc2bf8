import { z } from 'zod';
import { uuid } from '../../../contract/names.ts';
import { nextCursor, pageQuery } from '../../../contract/page.ts';
import { member, workspaceRole } from '../../../contract/workspace.ts';
import { listMembers } from '../../../store/members/list.ts';
import { putMember } from '../../../store/members/put.ts';
import { removeMember } from '../../../store/members/remove.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { ApiError, notFound } from '../../errors.ts';
import { requireAdmin } from '../../policies/workspace.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';
import type { WorkflowClient } from '../../workflow-client.ts';

export interface MemberDependencies extends Pick<ApiDependencies, 'db'> {
  workflows: Pick<WorkflowClient, 'signalSession'>;
}

const path = '/workspaces/{slug}/members/{user_id}';
const params = z.object({ user_id: uuid });

export function memberRoutes({ db, workflows }: MemberDependencies): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/members',
      summary: 'The members of a workspace with their roles',
      scope: 'workspace',
      query: pageQuery,
      response: z.strictObject({ members: z.array(member), next_cursor: nextCursor }),
      async handler({ workspace, role, query }) {
        requireAdmin(role, 'members.manage');
        const page = await listMembers(db, workspace.id, query);
        return { members: page.items, next_cursor: page.nextCursor };
      },
    }),
    defineRoute({
      method: 'put',
      path,
      summary: 'Add a person to the workspace, or change their role',
      scope: 'workspace',
      params,
      body: z.strictObject({ role: workspaceRole }),
      response: z.strictObject({ member }),
      async handler({ workspace, role, user, params, body }) {
        requireAdmin(role, 'members.manage');
        const put = await putMember(db, {
          workspaceId: workspace.id,
          userId: params.user_id,
          role: body.role,
          by: { type: 'user', id: user.id },
        });
        if (put.result !== 'done') {
          throw put.result === 'unknown_user' ? notFound('The user') : lastAdmin();
        }
        return { member: put.member };
      },
    }),
    defineRoute({
      method: 'delete',
      path,
      summary: 'Remove a member: their grants are revoked and their sessions end',
      scope: 'workspace',
      params,
      response: z.strictObject({ ok: z.literal(true) }),
      async handler({ workspace, role, user, params }) {
        requireAdmin(role, 'members.manage');
        const by = { type: 'user', id: user.id } as const;
        const removal = await removeMember(db, { workspaceId: workspace.id, userId: params.user_id, by });
        if (removal.result !== 'done') {
          throw removal.result === 'not_found' ? notFound('The member') : lastAdmin();
        }
        // The endings are on record; when Temporal does not answer now, the same request again tells it.
        await Promise.all(removal.endedSessionIds.map((id) => workflows.signalSession(id, 'terminate')));
        return { ok: true } as const;
      },
    }),
  ];
}

function lastAdmin(): ApiError {
  return new ApiError('conflict', 'The last admin of a workspace cannot be removed or made a member');
}
