import * as z from 'zod';
import { mcpServerHealth } from '../../contract/mcp-server-health.ts';
import type { Db } from '../../store/database.ts';
import { listServerHealth } from '../../store/mcp-servers/health.ts';
import { anyMember } from '../policies/access.ts';
import { readableBy } from '../policies/sessions.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

export function healthRoute(db: Db): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/workspaces/{slug}/mcp-server-health',
    summary:
      'How each entry did: in its last check, for admins, and in the sessions of the last seven days that the caller may read',
    scope: 'workspace',
    access: anyMember,
    response: z.strictObject({ mcp_server_health: z.array(mcpServerHealth) }),
    handler: async ({ workspace, ...visit }) => ({
      mcp_server_health: await listServerHealth(db, {
        workspaceId: workspace.id,
        readableBy: readableBy(visit),
      }),
    }),
  });
}
