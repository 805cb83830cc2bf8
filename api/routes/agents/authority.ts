import * as z from 'zod';
import { agentAuthority } from '../../../contract/agent-authority.ts';
import { readAgentAuthority } from '../../../store/agents/authority.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { notFound } from '../../errors.ts';
import { anyMember } from '../../policies/access.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';

/** Shown to whoever lets another agent start it. Not paged: each list is bounded, and says how many it leaves out. */
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
