/**
 * Where the rows are that a number counts. Members are led to their sessions: they have no audit trail, and
 * their Approvals also list what their agents ask in sessions that they may not read. Pure.
 */
import { pathOf } from '../../app/paths.ts';
import type { RequestPart } from '../../text/day-counts.ts';
import type { CallGroup, Outcome } from './numbers.ts';

export interface RowLinks {
  requests(status: RequestPart | 'all'): string;
  callsWith(outcome: Outcome): string;
  callsOf(group: CallGroup): string;
}

/** `from`: the beginning of what is counted. */
export function rowLinks({ slug, isAdmin }: { slug: string; isAdmin: boolean }, from: string): RowLinks {
  const rows = (page: 'approvals' | 'audit', filter: Record<string, string>) =>
    isAdmin ? `${pathOf(slug, page)}?${new URLSearchParams({ ...filter, from })}` : pathOf(slug, 'sessions');
  return {
    requests: (status) => rows('approvals', { status }),
    callsWith: (outcome) => rows('audit', { kind: 'calls', outcome }),
    callsOf: (group) => rows('audit', filterOf[group]),
  };
}

const filterOf: Record<CallGroup, Record<string, string>> = {
  passed: { kind: 'calls', outcome: 'ok' },
  refused: { kind: 'refusals' },
  failed: { kind: 'calls', outcome: 'tool_error,protocol_error,server_unavailable' },
  unanswered: { kind: 'calls', outcome: 'waiting,cancelled,unknown' },
};
