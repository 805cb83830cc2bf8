/**
 * Every tool that the API runs for agents, in the order in which they are listed, and the routes by which a
 * sidecar reads that list and calls them.
 */

import { workspaceToolCalls, workspaceToolConnections } from '../../config/tool-connections.ts';
import { platformToolAnswer, platformToolCall, platformToolList } from '../../contract/platform-tools.ts';
import { isTerminal } from '../../contract/session.ts';
import { createByteBudget } from '../../lib/limits/byte-budget.ts';
import { createKeyedMutex } from '../../lib/limits/mutex.ts';
import { onBehalfOf } from '../../store/connection-shares.ts';
import type { Db } from '../../store/database.ts';
import type { SessionEventFeed } from '../../store/session-events/feed.ts';
import { readSession } from '../../store/sessions/sessions.ts';
import { isWorkspaceOpen } from '../../store/workspaces/closing.ts';
import { linkOriginOf } from '../addresses.ts';
import { refuseEnded } from '../auth/open-workload.ts';
import { notFound, workspaceClosed } from '../errors.ts';
import { createConcurrencyQueue } from '../middleware/concurrency-queue.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { itsSidecar } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { createChildWaits } from './child-waits.ts';
import { expectQuietFor } from './expect-quiet-for.ts';
import { graphDiscover } from './graph-discover.ts';
import { graphQuery } from './graph-query.ts';
import { graphRelate } from './graph-relate.ts';
import { graphResolve } from './graph-resolve.ts';
import { graphWrite } from './graph-write.ts';
import { injectMessage } from './inject-message.ts';
import { listCollectionsTool } from './list-collections.ts';
import { listSpawnableAgents } from './list-spawnable-agents.ts';
import { messageCaller } from './message-caller.ts';
import { postMessage } from './post-message.ts';
import { previewDeploy } from './preview-deploy.ts';
import { readChildOutput } from './read-child-output.ts';
import { spawnSession } from './spawn-session.ts';
import { listedTool, type PlatformTool, type ToolDependencies } from './tool.ts';
import { vectorDelete } from './vector-delete.ts';
import { vectorSearch } from './vector-search.ts';
import { vectorUpsert } from './vector-upsert.ts';

export const platformTools: readonly PlatformTool[] = [
  graphDiscover,
  graphResolve,
  graphQuery,
  graphWrite,
  graphRelate,
  postMessage,
  previewDeploy,
  listSpawnableAgents,
  spawnSession,
  readChildOutput,
  injectMessage,
  messageCaller,
  expectQuietFor,
  listCollectionsTool,
  vectorSearch,
  vectorUpsert,
  vectorDelete,
];

/** It does not count as activity of the agent. */
export function platformToolsRoute(): AnyRoute {
  const tools = platformTools.map(listedTool);
  return defineRoute({
    method: 'get',
    path: '/sessions/{session_id}/platform-tools',
    summary: 'The tools that the API runs for the session’s agent',
    scope: 'internal',
    access: itsSidecar,
    response: platformToolList,
    handler: async () => ({ tools }),
  });
}

/** A sidecar within its own limit stays below this. */
const slack = 2;
/** Of vectors that searches of all workspaces compare at the same time. */
const searchedBytes = 128 * 1024 * 1024;
/** Calls of a workspace that wait for their turn in this process; the next one is refused. */
const waitingCalls = 100;

/** Tools use `toolDb`; whether the session is open is asked as for every other request. */
type CallDependencies = Omit<ToolDependencies, 'searchBudget' | 'runExclusive' | 'childWaits'> & {
  toolDb: Db;
  eventFeed: Pick<SessionEventFeed, 'subscribe'>;
};

/**
 * A tool that fails answers with 200 and its code. A call that is sent again has the same
 * effect: each tool sees to that.
 */
export function platformToolCallRoute({ db, toolDb, eventFeed, ...given }: CallDependencies): AnyRoute {
  const { config } = given;
  const dependencies = {
    ...given,
    db: toolDb,
    searchBudget: createByteBudget(searchedBytes),
    childWaits: createChildWaits(eventFeed),
    runExclusive: createKeyedMutex(),
  };
  const called = createRateLimiter({
    name: 'calls of platform tools a minute of a session',
    perMinute: slack * config.RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE,
  });
  const queue = createConcurrencyQueue({
    name: 'calls of platform tools at a time per workspace',
    atATime: workspaceToolCalls(config),
    waiting: waitingCalls,
  });
  const connections = workspaceToolConnections(config);
  return defineRoute({
    method: 'post',
    path: '/sessions/{session_id}/platform-tools/calls',
    summary: 'The agent calls a tool that the API runs',
    scope: 'internal',
    access: itsSidecar,
    // What agents write may be anything.
    secretBody: true,
    body: platformToolCall,
    response: platformToolAnswer,
    async handler({ session, body, ctx }) {
      called.take(session.id);
      const tool = platformTools.find(({ name }) => name === body.name);
      if (tool === undefined) {
        throw notFound('The tool');
      }
      const { id, workspace_id, agent_id } = session;
      await requireOpenWorkspace(db, workspace_id);
      const call = { call_id: body.call_id, link_origin: linkOriginOf(config, ctx) };
      const caller = { id, workspace_id, agent_id, ...call };
      const owner = { key: `${workspace_id} tools`, connections };
      const answer = () => onBehalfOf(owner, () => tool.answer(body.arguments, caller, dependencies));
      if (tool.waits === true) {
        return answer();
      }
      const place = await queue.enter(workspace_id, ctx.res);
      try {
        if (place.waited) {
          await requireOpen(db, id);
          await requireOpenWorkspace(db, workspace_id);
        }
        return await answer();
      } finally {
        place.leave();
      }
    },
  });
}

/** Throws 409 when the workspace was closed: its sessions are about to end. */
async function requireOpenWorkspace(db: Db, id: string): Promise<void> {
  if (!(await isWorkspaceOpen(db, id))) {
    throw workspaceClosed();
  }
}

/** Throws 401 when the session has ended while its call waited. */
async function requireOpen(db: Db, sessionId: string): Promise<void> {
  const session = await readSession(db, sessionId);
  refuseEnded(session === null || isTerminal(session.status));
}
