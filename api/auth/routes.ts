import * as z from 'zod';
import { shareAnswer } from '../../lib/timing/share-answer.ts';
import { type NewRenewal, settleRefusals } from '../../store/sign-ins/renewals.ts';
import { revokeSignIn } from '../../store/sign-ins/sign-ins.ts';
import { findUserByEmail, listUsersOfIssuer, upsertUser } from '../../store/users/users.ts';
import { listWorkspacesOfUser } from '../../store/workspaces/workspaces.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError } from '../errors.ts';
import { meAnswer } from '../me/routes.ts';
import { anybody, anySignedIn } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { applyGroups, type GroupDependencies, signInLifetime } from './apply-groups.ts';
import { setFlowCookie, takeFlowCookie } from './flow-cookie.ts';
import { createOidcProvider, type OidcProvider } from './oidc.ts';
import { authOptions } from './options.ts';
import { clearSessionCookie } from './session-cookie.ts';
import { isSecure, signIn } from './sign-in.ts';

interface AuthDependencies extends Pick<ApiDependencies, 'db' | 'config' | 'log'> {
  workflows: GroupDependencies['workflows'];
}

/** The issuer of people who exist for the demo only. */
export const demoIssuer = 'demo';

/** A path on this origin; rejects what a browser would read as another origin. */
const returnTo = z
  .string()
  .max(2000)
  .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/, 'must be a path on this origin')
  .default('/');

/** A way of signing in that is not configured has no route at all. */
export function authRoutes(dependencies: AuthDependencies): AnyRoute[] {
  const provider = createOidcProvider(dependencies.config);
  return [
    optionsRoute(dependencies, provider !== null),
    ...(provider === null ? [] : [beginRoute(dependencies, provider), callbackRoute(dependencies, provider)]),
    ...(dependencies.config.DEMO_SIGN_IN ? [demoRoute(dependencies)] : []),
    signOutRoute(dependencies),
  ];
}

/** How many people of the demo sign-in the page shows. */
const shownDemoPeople = 10;
/** Whoever opens the page asks for them. */
const shared = { validMs: 1000, limitMs: 10_000 };

function optionsRoute({ db, config }: AuthDependencies, oidc: boolean): AnyRoute {
  const listPeople = shareAnswer(shared, () => listUsersOfIssuer(db, demoIssuer, shownDemoPeople));
  return defineRoute({
    method: 'get',
    path: '/auth/options',
    summary: 'Which ways of signing in there are',
    scope: 'public',
    access: anybody,
    response: authOptions,
    async handler() {
      if (!config.DEMO_SIGN_IN) {
        return { oidc, demo_people: null };
      }
      const people = await listPeople();
      return { oidc, demo_people: people.map(({ email, name }) => ({ email, name })) };
    },
  });
}

function beginRoute({ config }: AuthDependencies, provider: OidcProvider): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/auth/sign-in',
    summary: 'Begin signing in at the identity provider',
    scope: 'public',
    access: anybody,
    isSignIn: true,
    query: z.strictObject({
      return_to: returnTo,
      /** Whether the provider has to ask who it is, whatever session it has. */
      again: z.enum(['true', 'false']).default('false'),
    }),
    async handler({ ctx, query }) {
      const { flow, url } = await provider.begin(query.return_to, { asksAgain: query.again === 'true' });
      await setFlowCookie(ctx, config.COOKIE_KEY, flow, { secure: isSecure(config) });
      ctx.redirect(url);
    },
  });
}

function callbackRoute(dependencies: AuthDependencies, provider: OidcProvider): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'get',
    path: '/auth/callback',
    summary: 'Where the identity provider sends people back to',
    scope: 'public',
    access: anybody,
    isSignIn: true,
    async handler({ ctx }) {
      const state = new URLSearchParams(ctx.search).get('state') ?? '';
      const flow = await takeFlowCookie(ctx, config.COOKIE_KEY, state, { secure: isSecure(config) });
      if (flow === null) {
        throw new ApiError(
          'unauthenticated',
          'This browser did not begin this sign-in, or more than 10 minutes ago, or it is used up; start it again',
        );
      }
      const { person, isProven, groups, refreshToken } = await provider.finish(flow, ctx.search);
      const user = await upsertUser(db, person);
      // Before the groups: nothing that was refused earlier takes what they give.
      await settleRefusals(db, user.id);
      // First: who lost a role comes in without it.
      await applyGroups(dependencies, user, groups);
      const renewal = renewalOf(config, refreshToken, { subject: person.subject, client: provider.client });
      await signIn(ctx, user.id, { db, config }, { isProven, ...renewal });
      ctx.redirect(flow.returnTo);
    },
  });
}

/** Only rules for groups ask again; without them a refresh token is not kept. */
function renewalOf(
  config: ApiDependencies['config'],
  refreshToken: string | null,
  of: Pick<NewRenewal, 'subject' | 'client'>,
) {
  const isKept = config.OIDC_GROUP_RULES.length > 0 && refreshToken !== null;
  return {
    lifetimeSeconds: signInLifetime(config, { renewable: isKept }),
    renewal: isKept ? { refreshToken, seconds: config.OIDC_RENEWAL_MINUTES * 60, ...of } : null,
  };
}

function demoRoute({ db, config }: AuthDependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: '/auth/demo-sign-in',
    summary: 'Sign in as one of the demo users, without a password',
    scope: 'public',
    access: anybody,
    isSignIn: true,
    body: z.strictObject({ email: z.email().max(320) }),
    response: meAnswer,
    async handler({ ctx, body }) {
      const user = await findUserByEmail(db, demoIssuer, body.email);
      if (user === null) {
        throw new ApiError('unauthenticated', 'There is no demo user with this e-mail address');
      }
      // People of the demo have nothing to prove.
      await signIn(ctx, user.id, { db, config }, { isProven: true });
      return { user, workspaces: await listWorkspacesOfUser(db, user.id) };
    },
  });
}

function signOutRoute({ db, config }: AuthDependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: '/auth/sign-out',
    summary: 'End this sign-in; its cookie is refused from now on',
    scope: 'user',
    stops: true,
    access: anySignedIn,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ ctx, signInId }) {
      await revokeSignIn(db, signInId);
      clearSessionCookie(ctx, { secure: isSecure(config) });
      return { ok: true } as const;
    },
  });
}
