/** Permission requests of a session, and of those below it, that the person may answer. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { requestQuery } from '../approvals/use-request.ts';
import type { TranscriptEvent } from './session-event-type.ts';
import { undecidedRequests } from './waiting-requests.ts';

/** Oldest first. The stored request says whether it is open and whose it is to answer. */
export function useWaitingRequests(events: readonly TranscriptEvent[]): PermissionRequest[] {
  const { slug } = useWorkspace();
  const ids = useMemo(() => undecidedRequests(events), [events]);
  return useQueries({
    queries: ids.map((id) => requestQuery(slug, id)),
    combine: (results) =>
      results.flatMap(({ data }) => (data?.status === 'open' && data.may_decide ? [data] : [])),
  });
}
