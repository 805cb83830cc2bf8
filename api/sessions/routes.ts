import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { requestPatch, secondsBetweenPatches } from '../../commands/artifacts/request-patch.ts';
import { addMessage } from '../../commands/session-inputs/messages.ts';
import { setRequestsMuted } from '../../commands/sessions/mute-requests.ts';
import { renameSession } from '../../commands/sessions/rename.ts';
import { type InputMessage, inputMessage } from '../../contract/agent-contract.ts';
import { uuid } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import {
  isTerminal,
  type Session,
  sessionInput,
  sessionStatus,
  sessionWait,
} from '../../contract/session.ts';
import { shownName } from '../../contract/shown-name.ts';
import { sessionSignals } from '../../contract/workflows.ts';
import type { User } from '../../contract/workspace.ts';
import { patchRequest } from '../../store/artifacts/patch-requests.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import { listDescendants, listSessions } from '../../store/sessions/list.ts';
import { readSession, requestEnding } from '../../store/sessions/sessions.ts';
import { ApiError, notFound } from '../errors.ts';
import { followUp } from '../follow-up.ts';
import {
  anyMember,
  sessionChangers,
  sessionEnders,
  sessionOperator,
  sessionReaders,
} from '../policies/access.ts';
import { readableBy } from '../policies/sessions.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { announceInput } from './announce-input.ts';
import { presentSession, presentSessions, sessionWithAncestors, shownSession } from './present.ts';
import { presentConfiguration, shownConfiguration } from './present-configuration.ts';
import { startSession } from './start-session.ts';
import { type EndingDependencies, tellEnding } from './tell-ending.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config' | 'workflows' | 'log'>;

const collection = '/workspaces/{slug}/sessions';
const path = '/sessions/{session_id}';
const oneSession = z.strictObject({ session: sessionWithAncestors });
const sessions = z.strictObject({ sessions: z.array(shownSession), next_cursor: nextCursor });

export function sessionRoutes(dependencies: Dependencies): AnyRoute[] {
  return [
    startRoute(dependencies),
    listRoute(dependencies),
    readRoute(dependencies),
    messageRoute(dependencies),
    terminateRoute(dependencies),
    changeRoute(dependencies),
    configurationRoute(dependencies),
    patchRoute(dependencies),
    childrenRoute(dependencies),
  ];
}

function startRoute(dependencies: Dependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: collection,
    summary: 'Start a session of an agent, with the caller as its operator',
    scope: 'workspace',
    access: anyMember,
    body: sessionInput,
    status: 201,
    response: oneSession,
    idempotent: true,
    async handler({ idempotencyKey, ...visit }) {
      const session = await startSession(dependencies, visit, idempotencyKey);
      return { session: await presentSession(dependencies, visit, session) };
    },
  });
}

function listRoute(dependencies: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: collection,
    summary: 'Sessions, newest first: all for admins, own and shared ones for members',
    scope: 'workspace',
    access: anyMember,
    isCompressed: true,
    query: pageQuery.extend({
      status: sessionStatus.optional(),
      waiting_for: sessionWait.optional(),
      agent_id: uuid.optional(),
      /** Beginnings of words: of its name, of what its prompt begins with, or of its agent's name. */
      search: z.string().trim().min(1).max(200).optional(),
      /** `exclude`: without those that other sessions started. */
      children: z.enum(['include', 'exclude']).default('include'),
    }),
    response: sessions,
    async handler({ workspace, user, role, query }) {
      const { status, waiting_for: waitingFor, agent_id: agentId, search, children, ...page } = query;
      const rootsOnly = children === 'exclude';
      const mayRead = { readableBy: readableBy({ user, role }) };
      const filter = { status, waitingFor, agentId, search, rootsOnly, ...mayRead };
      const { items, nextCursor } = await listSessions(dependencies.db, workspace.id, filter, page);
      return {
        sessions: await presentSessions(dependencies, { user, role }, items),
        next_cursor: nextCursor,
      };
    },
  });
}

function readRoute(dependencies: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path,
    summary: 'One session',
    scope: 'session',
    access: sessionReaders,
    response: oneSession,
    async handler(visit) {
      return { session: await presentSession(dependencies, visit, visit.session) };
    },
  });
}

function messageRoute(dependencies: Dependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${path}/messages`,
    summary: 'Send the agent a message; it answers the oldest question that the agent has open',
    scope: 'session',
    access: sessionOperator,
    body: z.strictObject({
      text: z
        .string()
        .min(1)
        .max(256 * 1024),
    }),
    status: 201,
    response: z.strictObject({ message: inputMessage }),
    async handler({ session, user, body }) {
      if (isTerminal(session.status)) {
        throw new ApiError('conflict', 'The session has ended');
      }
      return { message: await sendMessage(dependencies, { session, user, text: body.text }) };
    },
  });
}

function terminateRoute(dependencies: Dependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${path}/terminate`,
    summary: 'End a session; one that has ended stays as it is',
    scope: 'session',
    stops: true,
    access: sessionEnders,
    body: z.strictObject({ reason: z.string().max(2000).optional() }),
    response: oneSession,
    async handler({ session, user, role, body }) {
      const reason = body.reason || `${user.name} ended the session`;
      const ended = await terminateSession(dependencies, { session, userId: user.id, reason });
      return { session: await presentSession(dependencies, { user, role }, ended) };
    },
  });
}

function changeRoute(dependencies: Dependencies): AnyRoute {
  return defineRoute({
    method: 'patch',
    path,
    summary:
      'Name a session (null: as its prompt begins), or mute its permission requests: they are then refused unasked',
    scope: 'session',
    access: sessionChangers,
    body: z
      .strictObject({
        permission_requests_muted: z.boolean().optional(),
        title: shownName.nullable().optional(),
      })
      .refine(({ permission_requests_muted: muted, title }) => muted !== undefined || title !== undefined, {
        error: 'must change something',
      }),
    response: oneSession,
    async handler({ session, user, role, body: { permission_requests_muted: muted, title } }) {
      const by = { type: 'user', id: user.id } as const;
      if (muted !== undefined) {
        if (isTerminal(session.status)) {
          throw new ApiError('conflict', 'The session has ended');
        }
        await setRequestsMuted(dependencies.db, session.id, { muted, by });
      }
      if (title !== undefined) {
        await renameSession(dependencies.db, session.id, { title, by });
      }
      return { session: await presentSession(dependencies, { user, role }, session) };
    },
  });
}

function configurationRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/configuration`,
    summary: 'What the session runs with, frozen at its start; references are shown, values are left out',
    scope: 'session',
    access: sessionReaders,
    response: z.strictObject({ configuration: shownConfiguration }),
    async handler(visit) {
      const configuration = await readConfiguration(db, visit.session.id);
      if (configuration === null) {
        throw notFound('The configuration: the session has not got that far');
      }
      return { configuration: presentConfiguration(configuration) };
    },
  });
}

function patchRoute({ db, workflows, log }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${path}/patch`,
    summary:
      'Ask for the patch of a running session, which becomes an artifact; while one is made, that is it',
    scope: 'session',
    access: sessionChangers,
    status: 202,
    response: z.strictObject({ patch_request: patchRequest }),
    async handler({ session, user }) {
      const configuration = await readConfiguration(db, session.id);
      if (configuration?.agent.repository === undefined) {
        throw new ApiError('conflict', 'The session has no repository');
      }
      const asked = await requestPatch(db, session, user.id);
      if (asked.result === 'not_running') {
        throw new ApiError('conflict', 'The session does not run; one that has ended has its patch already');
      }
      if (asked.result === 'too_soon') {
        throw new ApiError('rate_limited', `The limit is one patch in ${secondsBetweenPatches} seconds`, {
          retryAfterSeconds: secondsBetweenPatches,
        });
      }
      if (asked.tells) {
        await followUp(log, workflows.signalSession(session.id, sessionSignals.patchRequested), {
          message: 'the patch is made when somebody asks again after a minute',
          session_id: session.id,
        });
      }
      return { patch_request: asked.request };
    },
  });
}

function childrenRoute(dependencies: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/children`,
    summary:
      'The sessions below a session that one may read, as a list whose rows name their parents, newest first',
    scope: 'session',
    access: sessionReaders,
    isCompressed: true,
    query: pageQuery,
    response: sessions,
    async handler({ query, ...visit }) {
      const tree = {
        sessionId: visit.session.id,
        workspaceId: visit.workspace.id,
        readableBy: readableBy(visit),
      };
      const { items, nextCursor } = await listDescendants(dependencies.db, tree, query);
      return { sessions: await presentSessions(dependencies, visit, items), next_cursor: nextCursor };
    },
  });
}

/**
 * Stores a message for the agent with its event, then triggers its delivery. When Temporal is unavailable,
 * the message stays stored and goes with the next delivery. Throws QuotaExceededError while too much is
 * undelivered.
 */
async function sendMessage(
  { config, ...dependencies }: Pick<SessionRouteDependencies, 'db' | 'config' | 'workflows' | 'log'>,
  { session, user, text }: { session: Session; user: User; text: string },
): Promise<InputMessage> {
  const message = await addMessage(dependencies.db, session.id, {
    id: randomUUID(),
    userId: user.id,
    text,
    limitBytes: config.LIMIT_UNDELIVERED_MESSAGE_BYTES,
  });
  await announceInput(dependencies, { sessionId: session.id, messageId: message.id });
  return message;
}

/**
 * Records the ending and signals the workflow, which stops the workload and moves the session. A missing
 * workflow is restarted by a worker and finds the recorded ending.
 */
async function terminateSession(
  dependencies: Pick<SessionRouteDependencies, 'db'> & EndingDependencies,
  { session, userId, reason }: { session: Session; userId: string; reason: string },
): Promise<Session> {
  const { db } = dependencies;
  if (isTerminal(session.status)) {
    return session;
  }
  await requestEnding(db, session.id, {
    by: { type: 'user', id: userId },
    status: 'terminated',
    reason,
    summary: null,
  });
  await tellEnding(dependencies, session.id);
  return (await readSession(db, session.id)) ?? session;
}
