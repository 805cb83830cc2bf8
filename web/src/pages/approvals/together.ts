/** Requests that are shown together, each to be approved for its one call. Pure. */
import { mostTogether } from '../../../../contract/request-bounds.ts';
import type { PermissionRequest } from '../../api/types.ts';
import type { CallState } from './call/call-state.ts';
import type { Choice } from './choices.ts';
import { decisionState } from './decision-state.ts';

/** Each of them is approved so, and nothing wider is on offer. */
export const exactly: Choice = { reach: 'exact', holder: 'agent' };

type Alike = Pick<
  PermissionRequest,
  'id' | 'agent_id' | 'status' | 'expires_at' | 'refused_call' | 'may_decide_together'
>;

/**
 * The sets of two or more requests of the same agent, by its id, for the same server and tool: the oldest of
 * each, at most as many as somebody can look at. `requests` begins with the newest.
 */
export function setsOf<Request extends Alike>(requests: readonly Request[], nowMs: number): Request[][] {
  const sets = new Map<string, Request[]>();
  for (const request of requests.toReversed()) {
    const { agent_id: agentId, refused_call: refused, status } = request;
    const isOpen = status === 'open' && Date.parse(request.expires_at) > nowMs;
    if (isOpen && request.may_decide_together && refused !== null && refused.digest !== null) {
      const key = JSON.stringify([agentId, refused.server, refused.tool]);
      sets.set(key, [...(sets.get(key) ?? []), request]);
    }
  }
  return [...sets.values()].filter((set) => set.length > 1).map((set) => set.slice(0, mostTogether));
}

/**
 * Why a set cannot be approved: a call comes, or cannot be shown, or was not in sight to its end. Unlike one
 * request, none of a set is approved without its arguments.
 */
export type UnseenOfSet = 'loading' | 'not-shown' | 'end-of-calls' | null;

/** `wasInSight`: all of all calls. */
export function unseenOfSet(calls: readonly CallState['kind'][], wasInSight: boolean): UnseenOfSet {
  if (calls.some((kind) => kind === 'loading' || kind === 'unread')) {
    return 'loading';
  }
  if (!calls.every((kind) => kind === 'shown' || kind === 'unreadable')) {
    return 'not-shown';
  }
  return wasInSight ? null : 'end-of-calls';
}

/** How the decision on one of them ended; `error` is null where it was recorded. */
export interface Outcome {
  requestId: string;
  grantId: string | null;
  error: unknown;
}

/** Whether it may be sent again under its key: whether it was recorded is unknown. */
export const isUnconfirmed = ({ error }: Outcome): boolean =>
  decisionState({ isPending: false, failureReason: error, error }) === 'unanswered';

/** "2 of 3 calls allowed" */
export function allowedText(outcomes: readonly Outcome[]): string {
  const allowed = outcomes.filter(({ error }) => error === null).length;
  const calls = outcomes.length === 1 ? 'call' : 'calls';
  return allowed === outcomes.length
    ? `Allowed: ${allowed} ${calls}, each once`
    : `Allowed: ${allowed} of ${outcomes.length} ${calls}`;
}
