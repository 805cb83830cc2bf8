import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { removeAgent } from '../../commands/agents/archive.ts';
import { createAgent, type EditorRights, type SavedAgent, updateAgent } from '../../commands/agents/save.ts';
import {
  type Agent,
  type AgentPatch,
  agentInput,
  agentPatch,
  removedWithAgent,
} from '../../contract/agent.ts';
import { unavailableAgentProblems } from '../../contract/available-runs.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { listAgents } from '../../store/agents/agents.ts';
import { needsAdmin } from '../../store/grants/scopes.ts';
import { countWhatGoes } from '../../store/sessions/of-agent.ts';
import { readAvailability, readWhyUnavailable, whereChanged } from '../availability.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, invalid, nameTaken, notFound } from '../errors.ts';
import { admins, agentEditors, anyMember } from '../policies/access.ts';
import { mayGrantAfterEdit } from '../policies/agents.ts';
import { grantMaker } from '../policies/grant-maker.ts';
import { whyNotAdmin } from '../policies/workspace.ts';
import { repositoryProblems } from '../repositories/routes.ts';
import { type AnyRoute, defineRoute, type InWorkspace } from '../route.ts';
import { type FollowDependencies, followSchedules } from '../schedules/follow.ts';
import { type ArchiveDependencies, archiveRoutes } from './archive-routes.ts';
import { endpointProblems } from './model-endpoints.ts';
import { authorityRoute, presentAgent, reachRoute, shownAgent } from './present.ts';

type AgentDependencies = Pick<ApiDependencies, 'db' | 'config'> & FollowDependencies & ArchiveDependencies;

const collection = '/workspaces/{slug}/agents';
const path = '/agents/{agent_id}';
const answer = z.strictObject({ agent: shownAgent });

const answerWith = async (dependencies: AgentDependencies, agent: Agent) => ({
  agent: presentAgent(agent, await readWhyUnavailable(dependencies, [agent])),
});

export function agentRoutes(dependencies: AgentDependencies): AnyRoute[] {
  return [
    listRoute(dependencies),
    createRoute(dependencies),
    defineRoute({
      method: 'get',
      path,
      summary: 'One agent',
      scope: 'agent',
      access: anyMember,
      response: answer,
      handler: ({ agent }) => answerWith(dependencies, agent),
    }),
    reachRoute(dependencies),
    authorityRoute(dependencies),
    updateRoute(dependencies),
    ...archiveRoutes(dependencies, answer, (agent) => answerWith(dependencies, agent)),
    removalRoute(dependencies),
    removeRoute(dependencies),
  ];
}

function listRoute(dependencies: AgentDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: collection,
    summary: 'The agents of a workspace',
    scope: 'workspace',
    access: anyMember,
    isCompressed: true,
    query: pageQuery.extend({
      /** Only agents that are archived, or that are not. */
      archived: z.enum(['true', 'false']).optional(),
    }),
    response: z.strictObject({ agents: z.array(shownAgent), next_cursor: nextCursor }),
    async handler({ workspace, query: { archived, ...query } }) {
      const isArchived = archived === undefined ? undefined : archived === 'true';
      const page = await listAgents(dependencies.db, workspace.id, { ...query, archived: isArchived });
      const whyUnavailable = await readWhyUnavailable(dependencies, page.items);
      return {
        agents: page.items.map((agent) => presentAgent(agent, whyUnavailable)),
        next_cursor: page.nextCursor,
      };
    },
  });
}

function createRoute(dependencies: AgentDependencies): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'post',
    path: collection,
    summary: 'Create an agent, owned by the caller',
    scope: 'workspace',
    access: anyMember,
    body: agentInput,
    accessWith: ({ role, body }) => (body.egress_allow.length > 0 ? whyNotAdmin(role, 'egress.write') : null),
    status: 201,
    response: answer,
    async handler({ workspace, user, body }) {
      refuse(endpointProblems(body, config, workspace.slug));
      refuse(await repositoryProblems(db, workspace.id, body.repository));
      refuse(unavailableAgentProblems(body, await readAvailability(db, config)));
      const quota = { limit: config.LIMIT_AGENTS_PER_WORKSPACE };
      return answerWith(dependencies, saved(await createAgent(db, workspace.id, body, user.id, quota)));
    },
  });
}

function updateRoute(dependencies: AgentDependencies): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'patch',
    path,
    summary: 'Change an agent; holds from the next session on',
    scope: 'agent',
    access: agentEditors,
    body: agentPatch,
    accessWith: ({ role, agent, body }) =>
      body.egress_allow === undefined || isDeepStrictEqual(body.egress_allow, agent.egress_allow)
        ? null
        : whyNotAdmin(role, 'egress.write'),
    response: answer,
    async handler({ workspace, role, user, agent, body }) {
      const { run = agent.run, model = agent.model, model_access = agent.model_access } = body;
      const before = { run: agent.run, model: agent.model, model_access: agent.model_access };
      if (!isDeepStrictEqual({ run, model, model_access }, before)) {
        refuse(endpointProblems({ run, model, model_access }, config, workspace.slug));
      }
      if (body.repository !== undefined && !isDeepStrictEqual(body.repository, agent.repository)) {
        refuse(await repositoryProblems(db, workspace.id, body.repository));
      }
      const after = runnableAfter(agent, body);
      refuse(whereChanged(unavailableAgentProblems(after, await readAvailability(db, config)), agent, after));
      const update = await updateAgent(db, {
        agentId: agent.id,
        patch: body,
        userId: user.id,
        rights: rightsAfterEdit({ user, role, workspace }, agent),
      });
      if (update === null) {
        throw notFound('The agent');
      }
      return answerWith(dependencies, saved(update));
    },
  });
}

function removalRoute({ db }: Pick<AgentDependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/removal`,
    summary: 'What would go with the agent if it were deleted',
    scope: 'agent',
    access: admins('agents.delete'),
    response: z.strictObject({ removal: removedWithAgent }),
    async handler({ agent }) {
      return { removal: await countWhatGoes(db, agent.id) };
    },
  });
}

function removeRoute(dependencies: AgentDependencies): AnyRoute {
  const { db } = dependencies;
  return defineRoute({
    method: 'delete',
    path,
    summary:
      'Delete an agent with its attachments, grants, requests and ended sessions; its schedules pause. Archiving keeps them',
    scope: 'agent',
    access: admins('agents.delete'),
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ user, agent }) {
      const removal = await removeAgent(db, agent.id, user.id);
      if (removal.result === 'not_found') {
        throw notFound('The agent');
      }
      if (removal.result === 'in_use') {
        throw new ApiError('in_use', 'Sessions of this agent, or that these started, are still running', {
          uses: removal.uses,
        });
      }
      await followSchedules(dependencies, removal.pausedScheduleIds);
      return { ok: true } as const;
    },
  });
}

const runnableAfter = (before: Agent, patch: AgentPatch) => ({
  run: patch.run ?? before.run,
  network: patch.network ?? before.network,
  repository: patch.repository === undefined ? before.repository : patch.repository,
});

/** Throws `validation_failed` for what could not be started. */
function refuse(problems: FieldProblem[]): void {
  if (problems.length > 0) {
    throw invalid(problems);
  }
}

function saved(result: SavedAgent) {
  switch (result.result) {
    case 'saved':
      return result.agent;
    case 'invalid':
      throw invalid(result.problems);
    case 'name_taken':
      throw nameTaken('an agent', result.by);
  }
}

/**
 * What the agent keeps of its grants and channels after this editor's change; what the rule needs is read in
 * the change's own transaction.
 */
export const rightsAfterEdit = (
  editor: Pick<InWorkspace, 'user' | 'role' | 'workspace'>,
  agent: Pick<Agent, 'owner_id'>,
): EditorRights => ({
  mayList: editor.role === 'admin',
  mayCreate: async (grant, trx) =>
    mayGrantAfterEdit(grantMaker(editor), grant, {
      agentOwnerId: agent.owner_id,
      adminScope: await needsAdmin(trx, editor.workspace.id, grant.details),
    }),
});
