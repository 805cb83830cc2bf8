import * as z from 'zod';
import { addExample, ExampleInTheWayError } from '../../commands/example/add-example.ts';
import { unavailableEntryProblems } from '../../contract/available-runs.ts';
import { exampleAgent, examplePrompt, exampleServer } from '../../contract/example.ts';
import { findLastIdOf, findUnfinishedOf } from '../../store/sessions/of-agent.ts';
import { registrationAddresses } from '../addresses.ts';
import { rightsAfterEdit } from '../agents/routes.ts';
import { readAvailability } from '../availability.ts';
import { ApiError, invalid } from '../errors.ts';
import { admins } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { presentSession, sessionWithAncestors } from '../sessions/present.ts';
import { startSession } from '../sessions/start-session.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config' | 'workflows' | 'log'>;

/**
 * The example of a new workspace. It needs what its parts need: who may register a server may create an agent
 * and start it. It does nothing that these people could not do by the routes of the parts.
 */
export function exampleRoutes(dependencies: Dependencies): AnyRoute[] {
  const { db, config } = dependencies;
  return [
    defineRoute({
      method: 'post',
      path: '/workspaces/{slug}/example',
      summary: `Add the server "${exampleServer.name}" and the agent "${exampleAgent.name}", which asks before it writes, and start it; what is there stays`,
      scope: 'workspace',
      access: admins('catalog.write'),
      status: 201,
      response: z.strictObject({ session: sessionWithAncestors }),
      async handler({ ctx, ...visit }) {
        const { workspace, user } = visit;
        refuse(unavailableEntryProblems(exampleServer, await readAvailability(db, config)));
        const agent = await addExample(db, {
          ...{ workspaceId: workspace.id, userId: user.id },
          addresses: registrationAddresses(config, ctx),
          quotas: {
            servers: { limit: config.LIMIT_MCP_SERVERS_PER_WORKSPACE },
            agents: { limit: config.LIMIT_AGENTS_PER_WORKSPACE },
            attachmentsPerAgent: config.LIMIT_ATTACHMENTS_PER_AGENT,
          },
          rightsOn: (edited) => rightsAfterEdit(visit, edited),
        }).catch(sayWhatIsInTheWay);
        const of = { agentId: agent.id, operatorId: user.id };
        // Two at once, of one window or of two, come after the same session, and start one.
        const key = `example ${agent.id} ${(await findLastIdOf(db, of)) ?? 'first'}`;
        const running = await findUnfinishedOf(db, of);
        const start = { workspace, user, body: { agent_id: agent.id, prompt: examplePrompt } };
        const session = running ?? (await startSession(dependencies, start, key));
        return { session: await presentSession(dependencies, visit, session) };
      },
    }),
  ];
}

function refuse(problems: ReturnType<typeof unavailableEntryProblems>): void {
  if (problems.length > 0) {
    throw invalid(problems);
  }
}

function sayWhatIsInTheWay(error: unknown): never {
  if (error instanceof ExampleInTheWayError) {
    const { part, partName } = error;
    const what = part === 'server' ? 'another MCP server' : 'another agent, or an archived one,';
    throw new ApiError('conflict', `The example was not added: ${what} is called "${partName}" here`);
  }
  throw error;
}
