/**
 * State shared by the middlewares of one request. Kept outside the context, so that `ctx.state`
 * needs no untyped fields.
 */
import type { Context } from 'koa';
import type { Leave } from './concurrency-limit.ts';

export interface RequestState {
  requestId: string;
  /** The route's pattern, such as `/api/agents/{agent_id}`; never the path with its values. */
  route: string | null;
  userId: string | null;
  /** That the request is about, once the caller is known to be a member, or its session. */
  workspaceId: string | null;
  /** Of the sidecar that asks. */
  sessionId: string | null;
  /** Gives back its place among the requests of that session. */
  leaveSession: Leave;
  secretBody: boolean;
  /** A page of another origin had the browser send it. */
  isForeign: boolean;
  /** What answers it is the JSON of a route that has it compressed. */
  mayBeCompressed: boolean;
  /**
   * Called by the reader of the body with the bytes as they arrive. Throws `rate_limited`
   * when there are too many.
   */
  countBody: (bytes: number) => void;
}

const states = new WeakMap<Context['req'], RequestState>();

export function beginRequest(ctx: Context, requestId: string): RequestState {
  const state: RequestState = {
    requestId,
    route: null,
    userId: null,
    workspaceId: null,
    sessionId: null,
    leaveSession: () => undefined,
    secretBody: false,
    isForeign: false,
    mayBeCompressed: false,
    countBody: () => undefined,
  };
  states.set(ctx.req, state);
  return state;
}

/** Throws when `logRequests` has not run: it is the first middleware of every application. */
export function requestState(ctx: Context): RequestState {
  const state = states.get(ctx.req);
  if (state === undefined) {
    throw new Error('the request has no state: logRequests must run first');
  }
  return state;
}
