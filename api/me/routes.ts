import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { user, workspace, workspaceRole } from '../../contract/workspace.ts';
import { listWorkspacesOfUser } from '../../store/workspaces/workspaces.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { anySignedIn } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { connectionRoutes } from './connection-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';

export const meAnswer = z.strictObject({
  user,
  workspaces: z.array(
    z.strictObject({
      id: uuid,
      slug: z.string(),
      name: z.string(),
      role: workspaceRole,
      ...workspace.pick({ closed_at: true, reopenable_until: true }).shape,
    }),
  ),
});

export function meRoutes({ db, config }: Pick<ApiDependencies, 'db' | 'config'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: '/me',
      summary: 'Who is signed in, and which workspaces they are a member of',
      scope: 'user',
      access: anySignedIn,
      response: meAnswer,
      handler: async ({ user }) => ({ user, workspaces: await listWorkspacesOfUser(db, user.id) }),
    }),
    ...connectionRoutes({ db }),
    ...passkeyRoutes({ db, config }),
  ];
}
