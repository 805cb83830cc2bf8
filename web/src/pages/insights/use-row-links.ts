/** Where the rows are that a number counts. Members, who have no audit trail, are led to their sessions. */
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import type { RequestPart } from '../../text/day-counts.ts';
import type { CallGroup, Outcome } from './numbers.ts';

export interface RowLinks {
  requests(status: RequestPart | 'all'): string;
  callsWith(outcome: Outcome): string;
  callsOf(group: CallGroup): string;
}

/** `from`: the beginning of what is counted. */
export function useRowLinks(from: string): RowLinks {
  const { slug, isAdmin } = useWorkspace();
  const trail = (filter: Record<string, string>) =>
    isAdmin
      ? `${pathOf(slug, 'audit')}?${new URLSearchParams({ ...filter, from })}`
      : pathOf(slug, 'sessions');
  return {
    requests: (status) => `${pathOf(slug, 'approvals')}?${new URLSearchParams({ status, from })}`,
    callsWith: (outcome) => trail({ kind: 'calls', outcome }),
    callsOf: (group) => trail(filterOf[group]),
  };
}

const filterOf: Record<CallGroup, Record<string, string>> = {
  passed: { kind: 'calls', outcome: 'ok' },
  refused: { kind: 'refusals' },
  failed: { kind: 'calls', outcome: 'tool_error,protocol_error,server_unavailable' },
  unanswered: { kind: 'calls', outcome: 'waiting,cancelled,unknown' },
};
