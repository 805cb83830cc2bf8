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
  'id' | 'agent_id' | 'details' | 'status' | 'expires_at' | 'refused_call' | 'may_decide_together'
>;

/**
 * What the requests of a set have in common: the agent, by its id, the server, the tool, and the scope that
 * it needs. Null for what has no call that an approval could be bound to.
 */
function likenessOf({ agent_id: agentId, details, refused_call: refused }: Alike): string | null {
  return refused === null || refused.digest === null
    ? null
    : JSON.stringify([agentId, refused.server, refused.tool, details['scope']]);
}

const isClosed = ({ status, expires_at: end }: Alike, nowMs: number): boolean =>
  status !== 'open' || Date.parse(end) <= nowMs;

/**
 * The sets of two or more requests that are alike: the oldest of each, at most as many as somebody can look
 * at. `requests` begins with the newest.
 */
export function setsOf<Request extends Alike>(requests: readonly Request[], nowMs: number): Request[][] {
  const sets = new Map<string, Request[]>();
  for (const request of requests.toReversed()) {
    const likeness = likenessOf(request);
    if (likeness !== null && request.may_decide_together && !isClosed(request, nowMs)) {
      sets.set(likeness, [...(sets.get(likeness) ?? []), request]);
    }
  }
  return [...sets.values()].filter((set) => set.length > 1).map((set) => set.slice(0, mostTogether));
}

/** Why a request of a set is no longer decided with the others. */
export type WhyGone = 'closed' | 'not-listed' | 'by-itself' | 'another-call';

export const goneText: Record<WhyGone, string> = {
  closed: 'it is no longer open',
  'not-listed': 'it is no longer among the listed requests',
  'by-itself': 'it has to be decided by itself by now',
  'another-call': 'its call is another one by now',
};

/**
 * What is left of the set that was offered, each request as it is listed now, and what is gone of it, as it
 * was offered. Nothing comes to it that was not offered.
 */
export function leftOf<Request extends Alike>(
  offered: readonly Request[],
  listed: readonly Request[],
  nowMs: number,
): { left: Request[]; gone: { request: Request; why: WhyGone }[] } {
  const now = new Map(listed.map((request) => [request.id, request]));
  const left: Request[] = [];
  const gone: { request: Request; why: WhyGone }[] = [];
  for (const request of offered) {
    const found = now.get(request.id);
    const why = whyGone(request, found, nowMs);
    if (found !== undefined && why === null) {
      left.push(found);
    } else {
      gone.push({ request, why: why ?? 'not-listed' });
    }
  }
  return { left, gone };
}

function whyGone(offered: Alike, found: Alike | undefined, nowMs: number): WhyGone | null {
  if (found === undefined) {
    return 'not-listed';
  }
  if (isClosed(found, nowMs)) {
    return 'closed';
  }
  if (!found.may_decide_together) {
    return 'by-itself';
  }
  return likenessOf(found) === likenessOf(offered) ? null : 'another-call';
}

/** Changes with all that one decides by: a set with another subject is looked at again. */
export function subjectOfSet(
  set: readonly Pick<
    PermissionRequest,
    'id' | 'status' | 'refused_call' | 'may_decide_together' | 'changed_tools'
  >[],
  kinds: readonly CallState['kind'][],
): string {
  return JSON.stringify(
    set.map((request, index) => [
      ...[request.id, request.status, request.refused_call?.digest, kinds[index]],
      ...[request.may_decide_together, request.changed_tools],
    ]),
  );
}

/**
 * Why a set cannot be approved: it is none by now, a call comes, or cannot be shown, or was not in sight to
 * its end. Unlike one request, none of a set is approved without its arguments.
 */
export type UnseenOfSet = 'too-few' | 'loading' | 'not-shown' | 'end-of-calls' | null;

/** `wasInSight`: all of all calls. */
export function unseenOfSet(calls: readonly CallState['kind'][], wasInSight: boolean): UnseenOfSet {
  if (calls.length < 2) {
    return 'too-few';
  }
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

/**
 * Sends one after another, and no more after the first that nobody answered or once the dialog is closed:
 * what comes after it would fare no better. `onOutcome` is called after each.
 */
export async function sendEach<Request>(
  requests: readonly Request[],
  send: (request: Request) => Promise<Outcome>,
  { isOpen, onOutcome }: { isOpen: () => boolean; onOutcome: (outcome: Outcome) => void },
): Promise<void> {
  for (const request of requests) {
    if (!isOpen()) {
      return;
    }
    const outcome = await send(request);
    onOutcome(outcome);
    if (isUnconfirmed(outcome)) {
      return;
    }
  }
}

/**
 * What may be sent again: what nobody confirmed, and what was not sent so far and is still in the set
 * (`left`).
 */
export function unsentOf<Request extends { id: string }>(
  sent: readonly Request[],
  outcomes: ReadonlyMap<string, Outcome>,
  left: readonly { id: string }[],
): Request[] {
  return sent.filter(({ id }) => {
    const outcome = outcomes.get(id);
    return outcome === undefined ? left.some((other) => other.id === id) : isUnconfirmed(outcome);
  });
}

/** "Denied: 2 of 3 requests"; `of`: how many were to be denied. */
export function deniedText(outcomes: readonly Outcome[], of: number = outcomes.length): string {
  const denied = outcomes.filter(({ error }) => error === null).length;
  return denied === of ? `Denied: ${denied} requests` : `Denied: ${denied} of ${of} requests`;
}

/** What one decides of a set; the reason of a denial is the same for all of it. */
export type Verdict = { kind: 'approve' } | { kind: 'deny'; reason: string };

/** "Allowed: 2 of 3 calls"; `of`: how many were to be allowed. */
export function allowedText(outcomes: readonly Outcome[], of: number = outcomes.length): string {
  const allowed = outcomes.filter(({ error }) => error === null).length;
  const calls = of === 1 ? 'call' : 'calls';
  return allowed === of ? `Allowed: ${allowed} ${calls}, each once` : `Allowed: ${allowed} of ${of} ${calls}`;
}
