/** A person's own connections to remote servers. */
import * as z from 'zod';
import { endSignIn } from '../../commands/oauth-connections/connections.ts';
import { connection } from '../../contract/authorization.ts';
import { uuid } from '../../contract/names.ts';
import { listConnections, readOwnConnection } from '../../store/oauth-connections/read.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { notFound } from '../errors.ts';
import { anySignedIn } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

export function connectionRoutes({ db }: Pick<ApiDependencies, 'db'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: '/me/connections',
      summary: 'Your own connections to remote servers, in all of your workspaces',
      scope: 'user',
      access: anySignedIn,
      response: z.strictObject({ connections: z.array(connection) }),
      handler: async ({ user }) => ({ connections: await listConnections(db, user.id) }),
    }),
    defineRoute({
      method: 'delete',
      path: '/me/connections/{connection_id}',
      summary:
        'Sign out of a remote server: its tokens are of no use at once, and revoked there where it can be',
      scope: 'user',
      access: anySignedIn,
      params: z.object({ connection_id: uuid }),
      response: z.strictObject({ ok: z.literal(true) }),
      async handler({ user, params }) {
        const own = await readOwnConnection(db, user.id, params.connection_id);
        if (own === null) {
          throw notFound('The connection');
        }
        await endSignIn(db, own, 'disconnected', { by: { type: 'user', id: user.id } });
        return { ok: true } as const;
      },
    }),
  ];
}
