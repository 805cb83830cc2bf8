/**
 * An agent as people read it: itself, why this installation cannot start it, what it can do by itself and
 * what a session of it could use.
 */
import * as z from 'zod';
import { type Agent, agent } from '../../contract/agent.ts';
import { agentAuthority } from '../../contract/agent-authority.ts';
import { grant } from '../../contract/grant.ts';
import { named } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { openedTools } from '../../contract/session-event.ts';
import { readAgentAuthority } from '../../store/agents/authority.ts';
import { listReach } from '../../store/grants/reach.ts';
import { readUser } from '../../store/users/users.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { notFound } from '../errors.ts';
import { anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

export const shownAgent = agent.extend({
  /** Why its sessions cannot start, because of the agent or one of its MCP servers; null when they can. */
  unavailable: z.strictObject({ reason: z.string() }).nullable(),
});

export function presentAgent(
  shown: Agent,
  whyUnavailable: (agent: Agent) => string | null,
): z.infer<typeof shownAgent> {
  const reason = whyUnavailable(shown);
  return { ...shown, unavailable: reason === null ? null : { reason } };
}

/**
 * Shown to whoever lets another agent start it. Not paged: each list is bounded, and says how many it leaves
 * out.
 */
export function authorityRoute({ db }: Pick<ApiDependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/agents/{agent_id}/authority',
    summary:
      'What the agent can do by itself, whoever starts it: its servers, its grants, and the names of its secrets',
    scope: 'agent',
    access: anyMember,
    response: z.strictObject({ authority: agentAuthority }),
    async handler({ agent, workspace }) {
      const authority = await readAgentAuthority(db, { workspaceId: workspace.id, agentId: agent.id });
      if (authority === null) {
        throw notFound('The agent');
      }
      return { authority };
    },
  });
}

export const reach = z.strictObject({
  owner: named.nullable(),
  /** The caller owns the agent. */
  own: z.boolean(),
  /**
   * The caller's own grants, and those that the agent holds, that a session of the agent could use while the
   * caller drives it, and the tools that each opens there.
   */
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
