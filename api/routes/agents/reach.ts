import * as z from 'zod';
import { grant } from '../../../contract/grant.ts';
import { named } from '../../../contract/names.ts';
import { nextCursor, pageQuery } from '../../../contract/page.ts';
import { openedTools } from '../../../contract/session-event.ts';
import { listReach } from '../../../store/grants/reach.ts';
import { readUser } from '../../../store/users/read.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { anyMember } from '../../policies/access.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';

export const reach = z.strictObject({
  owner: named.nullable(),
  /** The caller owns the agent. */
  own: z.boolean(),
  /** The caller's own grants, and those that the agent holds, that a session of the agent could use while the caller drives it, and the tools that each opens there. */
  grants: z.array(z.strictObject({ grant, ...openedTools.shape })),
});

/** Each grant comes with up to 200 tools, so a page has fewer than those of other lists may have. */
const reachQuery = pageQuery.extend({ limit: z.coerce.number().int().min(1).max(50).default(50) });

/** Shown before a user starts an agent. */
export function reachRoute({ db }: Pick<ApiDependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/agents/{agent_id}/reach',
    summary:
      'Which grants a session of the agent could use, the caller’s own and the agent’s, if the caller started it',
    scope: 'agent',
    access: anyMember,
    query: reachQuery,
    response: z.strictObject({ reach, next_cursor: nextCursor }),
    async handler({ agent, workspace, user, query }) {
      const ids = { workspaceId: workspace.id, agentId: agent.id, userId: user.id };
      const owner = agent.owner_id === null ? null : await readUser(db, agent.owner_id);
      const { items, nextCursor } = await listReach(db, ids, query);
      return {
        reach: {
          owner: owner === null ? null : { id: owner.id, name: owner.name },
          own: agent.owner_id === user.id,
          grants: items,
        },
        next_cursor: nextCursor,
      };
    },
  });
}
