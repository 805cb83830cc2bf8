/**
 * What a route is: one value that carries its path, schemas, access and handler, so that the router and the
 * API document are made from the same source. A handler parses nothing: authorise, act, present.
 */
import type { Context } from 'koa';
import type * as z from 'zod';
import type { Agent } from '../contract/agent.ts';
import type { Session } from '../contract/session.ts';
import type { User, Workspace, WorkspaceRole } from '../contract/workspace.ts';
import type { CheckRow } from '../store/mcp-checks/checks.ts';
import type { Access } from './policies/access.ts';
import type { Refusal } from './policies/refusal.ts';

export interface SignedIn {
  user: User;
  /** The sign-in of this cookie, revocable. */
  signInId: string;
}

/** The bearer of a session's token. */
export interface Sidecar {
  sessionId: string;
  /** Throws 404 for an unknown session, and 401 for one that has ended. */
  requireOpen(): Promise<void>;
}

export interface InWorkspace extends SignedIn {
  workspace: Workspace;
  role: WorkspaceRole;
}

/**
 * What a route is about. The router resolves it before the handler runs, and answers 404 for anything that
 * does not exist or belongs to a workspace that the user is not a member of.
 *  - `workspace`: path has `{slug}` - `agent`: path has `{agent_id}` - `session`: path has `{session_id}`
 *  - `internal`: `/internal/sessions/{session_id}/...` with that session's X-Internal-Token
 *  - `sidecar`: the same, but nothing is read: the handler's own statement looks whether the
 *    session is open, or it asks
 *  - `workload`: as `internal`, and also for the sidecar of a check, which every other internal route refuses
 *  - `gateway`: as `workload`, and also for the sidecar of a preview's service, which every
 *    other internal route refuses
 */
export interface ContextByScope {
  public: Record<never, never>;
  user: SignedIn;
  workspace: InWorkspace;
  agent: InWorkspace & { agent: Agent };
  /** `isShared`: with the workspace's members. */
  session: InWorkspace & { session: Session; isShared: boolean };
  internal: { session: Session };
  sidecar: { sidecar: Sidecar };
  workload: { workload: { kind: 'session'; session: Session } | { kind: 'check'; check: CheckRow } };
  gateway: { workload: ContextByScope['workload']['workload'] | { kind: 'service'; previewId: string } };
}
export type RouteScope = keyof ContextByScope;
/** The session that was read when the scope of a sidecar's request was resolved; null where none was. */
export const sessionIn = ({
  session,
  workload,
}: Partial<ContextByScope['internal'] & ContextByScope['gateway']>): Session | null =>
  session ?? (workload?.kind === 'session' ? workload.session : null);

/** Called by sidecars, below `/internal`. */
export const isInternal = (scope: RouteScope) =>
  scope === 'internal' || scope === 'sidecar' || scope === 'workload' || scope === 'gateway';

interface RouteShape<Scope extends RouteScope> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` parameters, without the `/api` or `/internal` prefix. */
  path: string;
  /** One line for the API document. */
  summary: string;
  scope: Scope;
  /** Which callers of the scope have access; evaluated before the body is read. */
  access: Access<NoInfer<Scope>>;
  /** Also served without the `/api` prefix (two paths that clients know without it). */
  alsoUnprefixed?: boolean;
  /** The body may hold a secret: the request log sees neither body nor size, nor any error's text. */
  secretBody?: boolean;
  /** The handler reads the body's bytes from `ctx.req` itself, with its own limit. */
  rawBody?: boolean;
  /**
   * It ends or refuses something, and takes a place of such requests: no number of others of
   * the same user delays it.
   */
  stops?: boolean;
  /**
   * May change something in a closed workspace, where otherwise only what ends or refuses something is taken.
   */
  isForClosed?: boolean;
  /**
   * Takes an `Idempotency-Key`: a request that is repeated with its key has one effect, and the same answer.
   */
  idempotent?: boolean;
  /**
   * Asked by the platform's own probes, perhaps from an address that strangers ask from, too. It has no rate,
   * and costs next to nothing: its answer is shared (`shareAnswer`).
   */
  isProbe?: boolean;
  /**
   * Its JSON is sent compressed to our own pages: it has nothing that is shown once or opens something, since how
   * long it is then says something of what is in it.
   */
  isCompressed?: boolean;
  /** Counts against the caller's address: a step of signing in, which people reach before they are known. */
  isSignIn?: boolean;
}

/** What a handler returns when it has written the answer to `ctx` itself (streams, bytes, redirects). */
export const written = Symbol('written');

type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

export type RouteInput<Scope extends RouteScope, Params, Query, Body> = ContextByScope[Scope] & {
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  requestId: string;
  /** The key of an `idempotent` route's request; null when the caller sent none. */
  idempotencyKey: string | null;
  /** For cookies, headers and streams; most handlers need none of it. */
  ctx: Context;
};

export interface Route<
  Scope extends RouteScope = RouteScope,
  Params extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodType | undefined = z.ZodType | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Answer extends z.ZodType | undefined = z.ZodType | undefined,
> extends RouteShape<Scope> {
  /** Path parameters other than the ones that the scope resolves. */
  params?: Params;
  query?: Query;
  body?: Body;
  /** An access rule that depends on the input: the violated rule, or null. */
  accessWith?(input: RouteInput<Scope, Params, Query, Body>): Refusal;
  /** Success status; 200 unless said. */
  status?: 200 | 201 | 202 | 302;
  /** The answer's schema, checked before it is sent. Absent: the handler always writes the answer itself. */
  response?: Answer;
  handler(
    input: RouteInput<Scope, Params, Query, Body>,
  ): Promise<Answer extends z.ZodType ? z.input<Answer> | typeof written : void>;
}

/** Types a route's handler by its schemas. */
export function defineRoute<
  Scope extends RouteScope,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Answer extends z.ZodType | undefined = undefined,
>(route: Route<Scope, Params, Query, Body, Answer>): AnyRoute {
  return route as unknown as AnyRoute;
}

/** A route of any shape, as the router mounts it. */
export type AnyRoute = Route<
  RouteScope,
  z.ZodType | undefined,
  z.ZodType | undefined,
  z.ZodType | undefined,
  z.ZodType | undefined
>;
