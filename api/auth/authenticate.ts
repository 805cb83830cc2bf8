/** Authenticates the caller and resolves each route scope, or refuses. */
import type { Context } from 'koa';
import { uuid } from '../../contract/names.ts';
import { isTerminal, type Session } from '../../contract/session.ts';
import { verifyInternalToken } from '../../contract/session-keys.ts';
import { internalTokenHeader } from '../../contract/sidecar.ts';
import { readAgent } from '../../store/agents/agents.ts';
import { type MembershipKey, readMembership } from '../../store/members/members.ts';
import { isSharedWithWorkspace, readSession } from '../../store/sessions/sessions.ts';
import { whyNotRenewed } from '../../store/sign-ins/renewals.ts';
import { readSignedInUser } from '../../store/sign-ins/sign-ins.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, notFound } from '../errors.ts';
import { requireOwnPage } from '../middleware/origin.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { requestState } from '../middleware/request-state.ts';
import { createSessionLimits } from '../middleware/session-limits.ts';
import type { ContextByScope, InWorkspace, RouteScope, SignedIn } from '../route.ts';
import { openGateway, openWorkload, refuseEnded } from './open-workload.ts';
import { readSessionCookie, signInSeconds } from './session-cookie.ts';

export interface AuthenticateDependencies extends Pick<ApiDependencies, 'db' | 'log'> {
  config: ApiDependencies['config'];
}

type Params = Readonly<Record<string, string>>;
export type ResolveScope = {
  [Scope in RouteScope]: (ctx: Context, params: Params) => Promise<ContextByScope[Scope]>;
};

/**
 * One resolver per scope. They throw 401 `unauthenticated` without a valid credential of the right kind, 403
 * `forbidden` for a person's request that a page of another origin sent, 429 `rate_limited` for a user who
 * sends too many requests, and 404 for what does not exist or belongs to a workspace that the user is not a
 * member of: the two are indistinguishable.
 */
export function createAuthenticate({ db, config }: AuthenticateDependencies): ResolveScope {
  const sessionLimits = createSessionLimits(config);
  const user = createSignedIn({ db, config });
  const inWorkspace = async (signedIn: SignedIn, key: MembershipKey, what: string): Promise<InWorkspace> => {
    const membership = await readMembership(db, signedIn.user.id, key);
    if (membership === null) {
      throw notFound(what);
    }
    return { ...signedIn, ...membership };
  };

  const read = async <Row>(
    what: string,
    id: string | undefined,
    find: (id: string) => Promise<Row | null>,
  ) => {
    const row = uuid.safeParse(id).success && id !== undefined ? await find(id) : null;
    if (row === null) {
      throw notFound(what);
    }
    return row;
  };
  const session = (id: string | undefined) =>
    read<Session>('The session', id, (known) => readSession(db, known));

  const openSession = async (id: string): Promise<Session> => {
    const found = await session(id);
    refuseEnded(isTerminal(found.status));
    return found;
  };

  /** Runs before anything is read, so that a throttled request costs no query. */
  const beginInternal = (ctx: Context, id: string): void => {
    if (!verifyInternalToken(config.SESSION_KEY_SEED, ctx.get(internalTokenHeader), id)) {
      throw new ApiError('unauthenticated', "This route needs the session's own X-Internal-Token");
    }
    const state = requestState(ctx);
    state.sessionId = id;
    state.leaveSession = sessionLimits.begin(ctx, id);
  };

  return {
    public: async () => ({}),
    user,
    workspace: async (ctx, { slug = '' }) => inWorkspace(await user(ctx), { slug }, 'The workspace'),
    agent: async (ctx, params) => {
      const signedIn = await user(ctx);
      const agent = await read('The agent', params['agent_id'], (id) => readAgent(db, id));
      return { ...(await inWorkspace(signedIn, { workspaceId: agent.workspace_id }, 'The agent')), agent };
    },
    session: async (ctx, params) => {
      const signedIn = await user(ctx);
      const found = await session(params['session_id']);
      const within = await inWorkspace(signedIn, { workspaceId: found.workspace_id }, 'The session');
      return { ...within, session: found, isShared: await isSharedWithWorkspace(db, found.id) };
    },
    internal: async (ctx, { session_id = '' }) => {
      beginInternal(ctx, session_id);
      return { session: await openSession(session_id) };
    },
    sidecar: async (ctx, { session_id = '' }) => {
      beginInternal(ctx, session_id);
      const requireOpen = async () => void (await openSession(session_id));
      return { sidecar: { sessionId: session_id, requireOpen } };
    },
    workload: async (ctx, { session_id = '' }) => {
      // The token was derived for this id, so the id is a valid UUID.
      beginInternal(ctx, session_id);
      return { workload: await read('The session', session_id, (id) => openWorkload(db, id)) };
    },
    gateway: async (ctx, { session_id = '' }) => {
      beginInternal(ctx, session_id);
      return { workload: await read('The session', session_id, (id) => openGateway(db, id)) };
    },
  };
}

const whyEnded = {
  refused: 'Your identity provider did not confirm your sign-in again, so it ended here: sign in again',
  not_renewed: 'Your sign-in could not be confirmed again in time, so it ended here: sign in again',
};

/** The user of the session cookie; each of their requests counts against the rate limit. */
function createSignedIn({ db, config }: Pick<AuthenticateDependencies, 'db' | 'config'>) {
  const limit = { name: 'requests a minute per user', perMinute: config.RATE_USER_PER_MINUTE };
  const byUser = createRateLimiter(limit);
  /**
   * Before anything is read, so that a throttled request costs no query; a cookie that was
   * revoked uses up nobody else's.
   */
  const bySignIn = createRateLimiter(limit);
  return async (ctx: Context): Promise<SignedIn> => {
    requireOwnPage(ctx);
    const claims = await readSessionCookie(ctx, config.COOKIE_KEY);
    const state = requestState(ctx);
    // A request counts once, however often its rights are read.
    const isFirst = state.userId === null;
    if (claims !== null && isFirst) {
      bySignIn.take(claims.signInId);
    }
    const known = claims && (await readSignedInUser(db, claims));
    if (claims === null || known === null) {
      const why = claims && (await whyNotRenewed(db, claims.signInId, signInSeconds));
      throw why === null
        ? new ApiError('unauthenticated', 'Sign in first')
        : new ApiError('sign_in_ended', whyEnded[why]);
    }
    if (isFirst) {
      state.userId = known.id;
      byUser.take(known.id);
    }
    return { user: known, signInId: claims.signInId };
  };
}
