/**
 * Mounts routes on the application. Each request passes the same steps, in this order:
 * address's rate where anybody may ask (429), authentication (401), rate limit (429), scope (404), access (403), closed workspace (409), user's turn (429), path, query and body (400, 413, 415, 422),
 * access with that input (403), handler, answer. The turn is given back when the answer has been sent, or its connection has closed.
 */
import { Readable } from 'node:stream';
import Router, { type RouterContext } from '@koa/router';
import type Koa from 'koa';
import * as z from 'zod';
import { fieldProblemsOf } from '../contract/errors.ts';
import type { ResolveScope } from './auth/authenticate.ts';
import { ApiError, invalid, requireAllowed, workspaceClosed } from './errors.ts';
import { type BodyLimits, isStorable, readJsonBody } from './middleware/json-body.ts';
import { type Leave, leaveOnClose } from './middleware/occupancy.ts';
import type { RateLimiter } from './middleware/rate-limit.ts';
import { requestState } from './middleware/request-state.ts';
import type { SignInLimit } from './middleware/sign-in-limit.ts';
import type { UserTurns } from './middleware/user-turns.ts';
import {
  type AnyRoute,
  type ContextByScope,
  type InWorkspace,
  isInternal,
  type RouteScope,
  written,
} from './route.ts';

export interface MountOptions {
  authenticate: ResolveScope;
  limits: {
    body: BodyLimits;
    turns: UserTurns;
    /** Of routes that end or refuse something. */
    stopTurns: UserTurns;
    /** Takes a place of a user, and of the route's workspace, for an answer that is sent as it is made. */
    downloads: (owners: { user: string; workspace: string | null }) => Leave;
    signIn: SignInLimit;
    /** By address, of routes that anybody may ask. */
    strangers: RateLimiter;
  };
}

interface Sent {
  params: Readonly<Record<string, string>>;
  body: unknown;
  scope: ContextByScope[RouteScope];
}

/** Throws when two routes have the same method and path. */
export function mountRoutes(app: Koa, routes: readonly AnyRoute[], options: MountOptions): void {
  const router = new Router({ strict: true, sensitive: true });
  const taken = new Set<string>();
  for (const route of routes) {
    const handle = handlerOf(route, options);
    for (const path of pathsOf(route)) {
      const key = `${route.method} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
      if (taken.has(key)) {
        throw new Error(`two routes are mounted as ${key}`);
      }
      taken.add(key);
      router[route.method](path.replaceAll(/\{(\w+)\}/g, ':$1'), (ctx) => handle(ctx, path));
    }
  }
  app.use(router.routes());
  app.use((ctx) => {
    const allowed = new Set((ctx as RouterContext).matched?.flatMap((layer) => layer.methods) ?? []);
    if (allowed.size === 0) {
      throw new ApiError('not_found', 'There is no such route');
    }
    ctx.set('Allow', [...allowed].join(', '));
    throw new ApiError('method_not_allowed', 'This route does not take that method');
  });
}

function pathsOf(route: AnyRoute): string[] {
  const prefix = isInternal(route.scope) ? '/internal' : '/api';
  return [prefix + route.path, ...(route.alsoUnprefixed === true ? [route.path] : [])];
}

function handlerOf(route: AnyRoute, { authenticate, limits }: MountOptions) {
  const querySchema = strict(route.query ?? (route.response === undefined ? z.unknown() : z.object({})));
  const bodySchema = route.body ?? z.strictObject({});
  const readsBody = route.body !== undefined || (route.method !== 'get' && route.rawBody !== true);

  const answerRequest = async (ctx: RouterContext): Promise<void> => {
    const params = usablePath(ctx.params as Record<string, string>);
    const scope = await authorized(ctx, params);
    const user = 'user' in scope ? scope.user : undefined;
    const turns = route.stops === true ? limits.stopTurns : limits.turns;
    const turn = user === undefined ? null : await turns.enter(user.id, ctx.res);
    let leave = () => turn?.leave();
    try {
      const body = readsBody ? await readJsonBody(ctx, limits.body) : undefined;
      // A body and a turn take as long as their sender likes: people are removed and roles change in the meantime.
      const isOld = user !== undefined && (readsBody || turn?.waited === true);
      await work(ctx, { params, body, scope: isOld ? await authorized(ctx, params) : scope });
      if (user !== undefined && ctx.body instanceof Readable) {
        // What is made while it is read may be read for long: it gives its turn back for a place of its own.
        const owners = { user: user.id, workspace: requestState(ctx).workspaceId };
        const leaveDownloads = isEventStream(ctx) ? () => {} : limits.downloads(owners);
        leave();
        leave = leaveDownloads;
      }
    } finally {
      // An answer that nobody reads takes memory as long as it is there.
      leaveOnClose(ctx.res, leave);
    }
  };

  const authorized = async (
    ctx: RouterContext,
    params: Readonly<Record<string, string>>,
  ): Promise<ContextByScope[RouteScope]> => {
    const scope: ContextByScope[RouteScope] = await authenticate[route.scope](ctx, params);
    const { workspace }: Partial<InWorkspace> = scope;
    requestState(ctx).workspaceId = workspace?.id ?? null;
    requireAllowed(route.access.whyNot(scope));
    if (workspace !== undefined && workspace.closed_at !== null && !isTakenWhenClosed(route)) {
      throw workspaceClosed();
    }
    return scope;
  };

  /** Until the answer is made, or its stream: what is sent then is not made yet. */
  const work = async (ctx: RouterContext, { params, body, scope }: Sent): Promise<void> => {
    const input = {
      ...scope,
      params: route.params && parsedPath(route, params),
      query: parsed(querySchema, usableQuery(ctx.query)),
      body: readsBody ? parsed(bodySchema, body) : undefined,
      requestId: requestState(ctx).requestId,
      idempotencyKey: route.idempotent === true ? idempotencyKeyOf(ctx) : null,
      ctx,
    } as Parameters<AnyRoute['handler']>[0];
    requireAllowed(route.accessWith?.(input) ?? null);
    const answer = await route.handler(input);
    if (route.response !== undefined && answer !== written) {
      ctx.body = checkedAnswer(route.response, answer);
      ctx.status = route.status ?? 200;
    }
  };

  return async (ctx: RouterContext, pattern: string): Promise<void> => {
    const state = requestState(ctx);
    state.route = pattern;
    state.secretBody = route.secretBody === true;
    if (route.scope === 'public' && route.isSignIn !== true && route.isProbe !== true) {
      limits.strangers.take(ctx.ip);
    }
    const step = () => answerRequest(ctx);
    await (route.isSignIn === true ? limits.signIn.guard(ctx.ip, step) : step());
  };
}

const isTakenWhenClosed = ({ method, stops, isForClosed }: AnyRoute) =>
  method === 'get' || stops === true || isForClosed === true;

/** Event streams have slots of their own (`api/event-stream/stream-slots.ts`). */
const isEventStream = (ctx: RouterContext) => ctx.response.is('text/event-stream') !== false;

/** Null when there is none. Throws 422 `validation_failed` for a malformed one. */
function idempotencyKeyOf(ctx: RouterContext): string | null {
  const given = ctx.headers['idempotency-key'];
  if (given === undefined) {
    return null;
  }
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(given)) {
    const message = 'must be 1 to 255 visible ASCII characters without spaces, such as a UUID';
    throw invalid([{ path: 'Idempotency-Key', code: 'invalid_format', message }]);
  }
  return given;
}

/** Rejects unknown fields instead of dropping them, also where a schema does not say so. */
function strict(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject && schema.def.catchall === undefined ? schema.strict() : schema;
}

/** Drops path parameters that the scope has already resolved. */
function strip(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject ? schema.strip() : schema;
}

/** A read of an impossible name or id is 404; a write with one is a validation error. */
function parsedPath(route: AnyRoute, params: Record<string, string>): unknown {
  const schema = strip(route.params ?? z.object({}));
  if (route.method === 'get' && !schema.safeParse(params).success) {
    throw new ApiError('not_found', 'Nothing has such a name or id');
  }
  return parsed(schema, params);
}

/** Text that the database cannot store names nothing that exists. */
function usablePath(params: Record<string, string>): Record<string, string> {
  if (!Object.values(params).every(isStorable)) {
    throw new ApiError('not_found', 'There is nothing at this path');
  }
  return params;
}

function usableQuery(query: RouterContext['query']): RouterContext['query'] {
  const wrong = Object.entries(query).filter((pair) => !pair.flat().every((text) => isStorable(text ?? '')));
  if (wrong.length > 0) {
    throw new ApiError('malformed_request', 'The query has characters that are not allowed');
  }
  return { ...query };
}

function parsed(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (!result.success) {
    throw invalid(fieldProblemsOf(result.error));
  }
  return result.data;
}

/** An answer that does not match its schema is our bug: none of it is sent. */
function checkedAnswer(schema: z.ZodType, answer: unknown): unknown {
  const result = schema.safeParse(answer);
  if (!result.success) {
    const paths = fieldProblemsOf(result.error).map(({ path, code }) => `${path} (${code})`);
    throw new Error(`the answer does not fit its schema: ${paths.join(', ')}`);
  }
  return result.data;
}
