import * as z from 'zod';
import { putMember, removeMember } from '../../commands/members/members.ts';
import { uuid } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import {
  type ListedMember,
  listedMember,
  type Member,
  member,
  workspaceRole,
} from '../../contract/workspace.ts';
import { listMembers, readMember } from '../../store/members/members.ts';
import { findUserByVerifiedEmail } from '../../store/users/users.ts';
import { demoIssuer } from '../auth/routes.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, invalid, notFound } from '../errors.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { admins, anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { type FollowDependencies, followSchedules } from '../schedules/follow.ts';
import { tellEnding } from '../sessions/tell-ending.ts';
import type { WorkflowClient } from '../workflow-client.ts';

export interface MemberDependencies extends Pick<ApiDependencies, 'db' | 'config' | 'log'> {
  workflows: Pick<WorkflowClient, 'signalSession'> & FollowDependencies['workflows'];
}

const path = '/workspaces/{slug}/members/{user_id}';
const params = z.object({ user_id: uuid });

export function memberRoutes(dependencies: MemberDependencies): AnyRoute[] {
  const { db } = dependencies;
  return [
    addRoute(dependencies),
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/members',
      summary:
        'The members of a workspace with their names and roles; admins also read their e-mail addresses',
      scope: 'workspace',
      access: anyMember,
      isCompressed: true,
      query: pageQuery,
      response: z.strictObject({ members: z.array(listedMember), next_cursor: nextCursor }),
      async handler({ workspace, role, query }) {
        const page = await listMembers(db, workspace.id, query);
        return {
          members: role === 'admin' ? page.items : page.items.map(withoutAddress),
          next_cursor: page.nextCursor,
        };
      },
    }),
    defineRoute({
      method: 'put',
      path,
      summary: 'Add a person to the workspace by their id, or change their role',
      scope: 'workspace',
      access: admins('members.manage'),
      params,
      body: z.strictObject({ role: workspaceRole }),
      response: z.strictObject({ member }),
      async handler({ workspace, user, params, body }) {
        const put = await putMember(db, {
          workspaceId: workspace.id,
          userId: params.user_id,
          role: body.role,
          by: { type: 'user', id: user.id },
        });
        if (put.result !== 'done') {
          throw notPut(put.result);
        }
        return { member: put.member };
      },
    }),
    defineRoute({
      method: 'delete',
      path,
      summary: 'Remove a member: their grants are revoked, their schedules pause and their sessions end',
      scope: 'workspace',
      stops: true,
      access: admins('members.manage'),
      params,
      response: z.strictObject({ ok: z.literal(true) }),
      async handler({ workspace, user, params }) {
        const by = { type: 'user', id: user.id } as const;
        const removal = await removeMember(db, { workspaceId: workspace.id, userId: params.user_id, by });
        if (removal.result !== 'done') {
          throw removal.result === 'not_found' ? notFound('The member') : lastAdmin();
        }
        await Promise.all([
          followSchedules(dependencies, removal.pausedScheduleIds),
          ...removal.endedSessionIds.map((id) => tellEnding(dependencies, id)),
        ]);
        return { ok: true } as const;
      },
    }),
  ];
}

const withoutAddress = ({ user, ...rest }: Member): ListedMember => ({
  ...rest,
  user: { ...user, email: null },
});

/**
 * People who never signed in, whose address is not verified, and addresses that two people claim
 * are all answered alike; and attempts are rate limited: the admin of one workspace learns
 * little of who uses the others.
 */
function addRoute({ db, config }: MemberDependencies): AnyRoute {
  const attempts = createRateLimiter({
    name: 'attempts a minute to add a member by e-mail address',
    perMinute: config.RATE_ADD_MEMBER_PER_MINUTE,
  });
  return defineRoute({
    method: 'post',
    path: '/workspaces/{slug}/members',
    summary: 'Add somebody who has signed in before, by the e-mail address that their provider vouches for',
    scope: 'workspace',
    access: admins('members.manage'),
    body: z.strictObject({ email: z.email().max(320), role: workspaceRole }),
    status: 201,
    response: z.strictObject({ member }),
    async handler({ workspace, user, body }) {
      attempts.take(user.id);
      const found = await findUserByVerifiedEmail(db, body.email, {
        demoIssuer: config.DEMO_SIGN_IN ? demoIssuer : null,
      });
      if (found === null) {
        throw unknownAddress();
      }
      if ((await readMember(db, workspace.id, found.id)) !== null) {
        throw new ApiError('conflict', 'They are a member of the workspace already');
      }
      const by = { type: 'user', id: user.id } as const;
      const put = await putMember(db, { workspaceId: workspace.id, userId: found.id, role: body.role, by });
      if (put.result !== 'done') {
        throw unknownAddress();
      }
      return { member: put.member };
    },
  });
}

function unknownAddress(): ApiError {
  const message =
    'nobody with this address can be added: they have to sign in here once, with an address that their identity provider has verified; otherwise add them by their user id, which is in the menu below their own name';
  return invalid([{ path: 'email', code: 'unknown_person', message }]);
}

function notPut(why: 'unknown_user' | 'last_admin' | 'own_by_rule'): ApiError {
  if (why === 'own_by_rule') {
    const message = 'A group gave you your role: only another admin can give you one that no group ends';
    return new ApiError('forbidden', message);
  }
  return why === 'unknown_user' ? notFound('The user') : lastAdmin();
}

function lastAdmin(): ApiError {
  return new ApiError('conflict', 'The last admin of a workspace cannot be removed or made a member');
}
