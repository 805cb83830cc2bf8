/**
 * Sign-ins of people at remote servers: each is begun and finished by the one person whose it is, in one
 * browser.
 */
import * as z from 'zod';
import { openAuthorization } from '../../commands/oauth-authorizations/authorizations.ts';
import { bindingOf } from '../../commands/oauth-connections/connections.ts';
import {
  type Authorization,
  authorization,
  sessionAuthorization,
  unknownAuthorizationPage,
} from '../../contract/authorization.ts';
import { uuid } from '../../contract/names.ts';
import type { Db } from '../../store/database.ts';
import { readRegistration, readRegistrationOf } from '../../store/mcp-registrations/registrations.ts';
import { readMcpServer } from '../../store/mcp-servers/mcp-servers.ts';
import {
  listPendingOfSession,
  type OwnAuthorization,
} from '../../store/oauth-authorizations/authorizations.ts';
import { readSignedInUser } from '../../store/sign-ins/sign-ins.ts';
import { callbackPath, platformOrigin } from '../addresses.ts';
import { readSessionCookie } from '../auth/session-cookie.ts';
import { ApiError, notFound } from '../errors.ts';
import { shownPartiesOf } from '../mcp-registrations/present.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { anybody, anyMember, anySignedIn, sessionReaders } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { begin, type FinishDependencies, finish, requireOwn } from './sign-in.ts';
import { startWaiting } from './waiting.ts';

const answer = z.strictObject({ authorization });
const params = z.object({ authorization_id: uuid });

export function authorizationRoutes(dependencies: FinishDependencies): AnyRoute[] {
  const begun = createRateLimiter({
    name: 'sign-ins at remote servers a minute per user',
    perMinute: dependencies.config.RATE_CHECKS_PER_MINUTE_PER_USER,
  });
  return [
    readRoute(dependencies),
    beginRoute(dependencies, begun),
    callbackRoute(dependencies),
    connectRoute(dependencies, begun),
    listRoute(dependencies),
  ];
}

type Limiter = ReturnType<typeof createRateLimiter>;

function readRoute({ db }: FinishDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/authorizations/{authorization_id}',
    summary: 'A sign-in at a remote server that you have to make; nobody else can read it',
    scope: 'user',
    access: anySignedIn,
    params,
    response: answer,
    async handler({ user, params: { authorization_id: id } }) {
      return { authorization: await presentAuthorization(db, await requireOwn({ db }, user.id, id)) };
    },
  });
}

function beginRoute(dependencies: FinishDependencies, begun: Limiter): AnyRoute {
  return defineRoute({
    method: 'post',
    path: '/authorizations/{authorization_id}/begin',
    summary: 'Begin it in this browser: the address at the authorization server to go to, for 10 minutes',
    scope: 'user',
    access: anySignedIn,
    params,
    response: z.strictObject({ url: z.url() }),
    async handler({ ctx, user, signInId, params: { authorization_id: id } }) {
      begun.take(user.id);
      const browserOrigin = platformOrigin(dependencies.config, ctx);
      return begin(dependencies, { user, signInId }, { id, browserOrigin });
    },
  });
}

/**
 * Reached by a link of the authorization server, so every outcome is a page; what went wrong is told there.
 */
function callbackRoute(dependencies: FinishDependencies): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'get',
    path: callbackPath('{registration_id}'),
    summary: 'Where authorization servers send people back to; only the browser that began is signed in',
    scope: 'public',
    access: anybody,
    params: z.object({ registration_id: uuid }),
    async handler({ ctx, params: { registration_id: registrationId } }) {
      const claims = await readSessionCookie(ctx, config.COOKIE_KEY);
      const user = claims && (await readSignedInUser(db, claims));
      const brought = claims && user && { signInId: claims.signInId, registrationId, query: ctx.querystring };
      ctx.redirect(brought ? await finish(dependencies, brought) : unknownAuthorizationPage);
    },
  });
}

function connectRoute(dependencies: FinishDependencies, begun: Limiter): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'post',
    path: '/workspaces/{slug}/mcp-servers/{name}/connect',
    summary: 'Sign in to a remote server before a session needs it, or again; answers with what to begin',
    scope: 'workspace',
    access: anyMember,
    params: z.object({ name: z.string() }),
    response: answer,
    async handler({ workspace, user, params: { name } }) {
      begun.take(user.id);
      const entry = await readMcpServer(db, workspace.id, name);
      const registration = entry && (await readRegistrationOf(db, entry.id));
      if (registration === null) {
        throw notFound('The remote server');
      }
      const found = await bindingOf(db, registration);
      if (found.kind !== 'bound') {
        throw new ApiError(
          'conflict',
          `Nobody can sign in to "${name}" now; its page in the catalog says why`,
        );
      }
      const opened = await openAuthorization(db, null, {
        registrationId: registration.id,
        userId: user.id,
        scopes: found.binding.server.scopes,
        missingScopes: null,
        expirySeconds: config.SESSION_AUTHORIZATION_SECONDS,
      });
      if (opened.result !== 'opened') {
        throw notFound('The remote server');
      }
      const { id } = opened;
      startWaiting(dependencies, id);
      return { authorization: await presentAuthorization(db, await requireOwn({ db }, user.id, id)) };
    },
  });
}

function listRoute({ db }: FinishDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/sessions/{session_id}/authorizations',
    summary: 'Sign-ins that the session waits for now; only its operator can make them',
    scope: 'session',
    access: sessionReaders,
    response: z.strictObject({ authorizations: z.array(sessionAuthorization) }),
    handler: async ({ session }) => ({ authorizations: await listPendingOfSession(db, session.id) }),
  });
}

/** As the person who is to sign in reads it. Throws 404 when the entry was removed meanwhile. */
async function presentAuthorization(db: Db, own: OwnAuthorization): Promise<Authorization> {
  const registration = await readRegistration(db, own.registration_id);
  if (registration === null) {
    throw notFound('The sign-in');
  }
  const found = await bindingOf(db, registration);
  const isOver = own.status === 'pending' && Date.parse(own.expires_at) <= Date.now();
  const { id, workspace, agent, scopes, missing_scopes, problem, expires_at } = own;
  return {
    ...{ id, workspace, scopes, missing_scopes, problem, expires_at },
    status: isOver ? 'expired' : own.status,
    mcp_server: own.entry_name,
    session: own.session_id === null || agent === null ? null : { id: own.session_id, agent },
    parties: found.kind === 'bound' ? shownPartiesOf(found.binding.server) : null,
    origin: new URL(registration.redirect_uri).origin,
  };
}
