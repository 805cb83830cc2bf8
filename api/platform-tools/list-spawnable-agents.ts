import * as z from 'zod';
import { childAgentOf, listSpawnGrants } from '../../commands/grants/use.ts';
import type { Agent } from '../../contract/agent.ts';
import { grantScope } from '../../contract/grant.ts';
import { uuid } from '../../contract/names.ts';
import { reads } from '../../contract/platform-tools.ts';
import { readAgent } from '../../store/agents/agents.ts';
import { readAttachedServers } from '../../store/attachments/read-for-launch.ts';
import { askToSpawn, requireOrchestrator, whyNotAsChild } from './spawn-session.ts';
import { defineTool, type ToolDependencies } from './tool.ts';

/** More grants than this are not looked at: each is a decision that a person made. */
const mostGrants = 100;

export const listSpawnableAgents = defineTool({
  name: 'list_spawnable_agents',
  title: 'See which agents this one may start',
  annotations: reads,
  description:
    'Lists the agents that people have allowed this one to start with spawn_session: each with the grant that allows it. A grant of scope "once" is used up by one session. To start an agent that is not listed, ask once with request_permission, as the refusal of spawn_session says.',
  input: z.strictObject({}),
  output: z.strictObject({
    agents: z.array(
      z.strictObject({
        agent_id: uuid,
        name: z.string(),
        description: z.string().describe('Its kind and the MCP servers that it has'),
        grant_id: uuid,
        scope: grantScope,
        available: z.boolean().describe('Whether its sessions can start here now'),
      }),
    ),
    next_step: z.string().describe('What to do now'),
  }),
  example: {
    input: {},
    output: {
      agents: [
        {
          ...{ agent_id: '5f4e3d2c-1b0a-4f9e-8d7c-6b5a4f3e2d1c', name: 'ticket-reader' },
          description: 'A worker with the servers files and tickets',
          ...{ grant_id: '2b3c4d5e-6f7a-4b9c-8d0e-1f2a3b4c5d6e', scope: 'session' as const, available: true },
        },
      ],
      next_step: 'Call spawn_session of the platform server with the agent_id of one that is available.',
    },
  },
  async run(_given, caller, dependencies) {
    await requireOrchestrator(caller, dependencies);
    const grants = await listSpawnGrants(dependencies.db, caller.id);
    const agents = [];
    for (const grant of grants.slice(0, mostGrants)) {
      const { id, scope } = grant;
      const agent = await readAgent(dependencies.db, childAgentOf(grant));
      if (agent?.workspace_id === caller.workspace_id && agent.archived_at === null) {
        agents.push({ ...(await describe(agent, dependencies)), grant_id: id, scope });
      }
    }
    return { agents, next_step: afterList(agents.length) };
  },
});

async function describe(agent: Agent, dependencies: ToolDependencies) {
  const names = (await readAttachedServers(dependencies.db, agent.id)).map(({ name }) => name);
  const servers = names.length === 0 ? 'without MCP servers' : `with the servers ${inWords(names)}`;
  return {
    agent_id: agent.id,
    name: agent.name,
    description: `${agent.kind === 'worker' ? 'A worker' : 'An orchestrator'} ${servers}`,
    available: (await whyNotAsChild(agent, dependencies)) === null,
  };
}

const inWords = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const afterList = (count: number) =>
  count > 0
    ? 'Call spawn_session of the platform server with the agent_id of one that is available.'
    : `No person has allowed this agent to start another one. ${askToSpawn('<agent_id>')} Put the id of the agent that you were told to start in the place of <agent_id>; without one do not list again, but say that you need one.`;
