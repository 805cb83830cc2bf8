/**
 * Mounts routes on the application. Each request passes the same steps, in this order:
 * address's rate where anybody may ask (429), authentication (401), rate limit (429), scope (404), access
 * (403), closed workspace (409), user's place (429), path, query and body (400, 413, 415, 422), access with
 * that input (403), handler, answer. A user's place, and a sidecar's, are given back when the handler has
 * ended and the answer has been sent, or its connection has closed.
 */
import { Readable } from 'node:stream';
import Router, { type RouterContext } from '@koa/router';
import type Koa from 'koa';
import * as z from 'zod';
import { fieldProblemsOf } from '../contract/errors.ts';
import { onBehalfOf } from '../store/connection-shares.ts';
import type { ResolveScope } from './auth/authenticate.ts';
import { ApiError, invalid, requireAllowed, workspaceClosed } from './errors.ts';
import { type Leave, leaveOnClose } from './middleware/concurrency-limit.ts';
import type { ConcurrencyQueue } from './middleware/concurrency-queue.ts';
import type { ConnectionOwnerOf } from './middleware/connection-owners.ts';
import type { HoldBody } from './middleware/held-bodies.ts';
import { type BodyLimits, isStorable, readJsonBody } from './middleware/json-body.ts';
import type { RateLimiter } from './middleware/rate-limit.ts';
import { requestState } from './middleware/request-state.ts';
import type { SignInLimit } from './middleware/sign-in-limit.ts';
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
    holdBody: HoldBody;
    queue: ConcurrencyQueue;
    /** Of routes that end or refuse something. */
    stopQueue: ConcurrencyQueue;
    /** Takes a place of a user, and of the route's workspace, for an answer that is sent as it is made. */
    downloads: (owners: { user: string; workspace: string | null }) => Leave;
    signIn: SignInLimit;
    /** By address, of routes that anybody may ask. */
    strangers: RateLimiter;
    connections: ConnectionOwnerOf;
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
    let leave: Leave = () => undefined;
    let dropBody: Leave = () => undefined;
    try {
      const params = usablePath(ctx.params as Record<string, string>);
      const scope = await authorized(ctx, params);
      const user = 'user' in scope ? scope.user : undefined;
      const place = user === undefined ? null : await queueOf(route, limits).enter(user.id, ctx.res);
      leave = () => place?.leave();
      const owner = await limits.connections(scope, route);
      requestState(ctx).workspaceId = owner?.workspaceId ?? null;
      dropBody = readsBody ? await limits.holdBody(ctx) : dropBody;
      const body = readsBody ? await readJsonBody(ctx, limits.body) : undefined;
      // A body and a place take as long as their sender likes: people and roles change meanwhile.
      const isOld = user !== undefined && (readsBody || place?.waited === true);
      const sent = { params, body, scope: isOld ? await authorized(ctx, params) : scope };
      await onBehalfOf(owner, () => work(ctx, sent));
      if (user !== undefined && ctx.body instanceof Readable) {
        const leaveStream = placeOfStream(ctx, limits, user.id);
        leave();
        leave = leaveStream;
      }
    } finally {
      dropBody();
      // Whoever disconnects has the handler work on, and an answer that nobody reads takes
      // memory as long as it is there.
      leaveOnClose(ctx.res, () => {
        leave();
        requestState(ctx).leaveSession();
      });
    }
  };

  const authorized = async (
    ctx: RouterContext,
    params: Readonly<Record<string, string>>,
  ): Promise<ContextByScope[RouteScope]> => {
    const scope: ContextByScope[RouteScope] = await authenticate[route.scope](ctx, params);
    requireAllowed(route.access.whyNot(scope));
    requireOpen(route, scope);
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
      requestState(ctx).mayBeCompressed = route.isCompressed === true;
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

function requireOpen({ method, stops, isForClosed }: AnyRoute, { workspace }: Partial<InWorkspace>): void {
  const isTakenWhenClosed = method === 'get' || stops === true || isForClosed === true;
  if (workspace !== undefined && workspace.closed_at !== null && !isTakenWhenClosed) {
    throw workspaceClosed();
  }
}

const queueOf = ({ stops }: AnyRoute, { stopQueue, queue }: MountOptions['limits']): ConcurrencyQueue =>
  stops === true ? stopQueue : queue;

/**
 * What is made while it is read may be read for long: it has a place of its own instead of the user's. Event
 * streams have a limit (`api/event-stream/stream-limit.ts`).
 */
function placeOfStream(ctx: RouterContext, { downloads }: MountOptions['limits'], user: string): Leave {
  const isEventStream = ctx.response.is('text/event-stream') !== false;
  return isEventStream ? () => undefined : downloads({ user, workspace: requestState(ctx).workspaceId });
}

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
