/**
 * Permission requests in the platform's own words; names and claims are shown beside
 * them, never inside. Pure.
 */

import type { PermissionRequest } from '../../api/types.ts';
import type { Tone } from '../../text/tone.ts';

export type RequestStatus = PermissionRequest['status'];

export const statusLabel: Record<RequestStatus, string> = {
  open: 'Waiting',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  cancelled: 'Cancelled',
};

export const statusTone: Record<RequestStatus, Tone> = {
  open: 'wait',
  approved: 'ok',
  denied: 'denied',
  expired: 'idle',
  cancelled: 'idle',
};

/** What was sent from here and did not count. */
export type LostDecision = 'approve' | 'deny';

/** Of a decision that came after another one. */
export const lostTitle = (lost: LostDecision): string =>
  `Your ${lost === 'deny' ? 'denial' : 'approval'} was not recorded.`;

/** The outcome of a closed request. */
export function outcomeText(status: Exclude<RequestStatus, 'open'>): { title: string; text: string } {
  const outcomes = {
    approved: { title: 'Approved', text: 'The agent was told.' },
    denied: { title: 'Denied', text: 'No permission was given; the agent was told.' },
    expired: {
      title: 'Expired',
      text: 'Nobody answered in time. No permission was given; the agent was told.',
    },
    cancelled: {
      title: 'Cancelled',
      text: 'The session ended before anyone answered. No permission was given.',
    },
  };
  return outcomes[status];
}

/** The thing that is asked for: the tool of the refused call, a scope, or an agent that may be started. */
export function subjectOf({
  grant_type: type,
  details,
  child_agent: child,
  refused_call: refused,
}: Pick<PermissionRequest, 'grant_type' | 'details' | 'child_agent' | 'refused_call'>): {
  what: string;
  name: string;
} {
  if (type === 'spawn') {
    return { what: 'to start the agent', name: child?.name ?? textOf(details['child_agent_id']) };
  }
  if (refused !== null) {
    return { what: 'to call', name: `${refused.server}.${refused.tool}` };
  }
  return { what: 'to use tools that need', name: textOf(details['scope']) };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '(unreadable)');

const headingCharacters = 32;

/**
 * The beginning of a name that is too long for a heading: it must not push the relevant facts out of sight.
 */
export function begunName(name: string, most = headingCharacters): string {
  const characters = [...name];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : name;
}

/** Why the viewer cannot answer an open request. */
export function whyNotMine(isAdmin: boolean): string {
  return isAdmin
    ? 'You cannot answer this request.'
    : 'You cannot answer this request: only a workspace admin, the owner of the agent or the person who started the session can.';
}

/** "1 more waiting". */
export const moreWaiting = (count: number): string => `${count} more waiting`;
