import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, call } from '../../../api/client.ts';
import { keys } from '../../../api/keys.ts';
import type { PermissionRequest } from '../../../api/types.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { type CallState, callState } from './call-state.ts';

export interface ShownCall {
  state: CallState;
  /** Reads the arguments again after a failure. */
  retry: () => void;
}

type Request = Pick<PermissionRequest, 'id' | 'refused_call'>;

const callQuery = (slug: string, { id, refused_call: refused }: Request, isWanted: boolean) => {
  const digest = refused?.digest ?? null;
  return queryOptions({
    queryKey: keys.refusedCall(slug, id, digest),
    async queryFn({ signal }) {
      const params = { path: { slug, request_id: id } };
      const path = '/api/workspaces/{slug}/permission-requests/{request_id}/call';
      return (await call(api.GET(path, { params, signal }))).call;
    },
    enabled: isWanted && digest !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
};

/**
 * The refused call of a request, whose arguments are read while `isWanted` and forgotten as soon as nothing
 * shows them. `request` is the one that is displayed: arguments of another call than its own are not shown.
 */
export function useCall(request: Request, isWanted: boolean): ShownCall {
  const { slug } = useWorkspace();
  const { refused_call: refused } = request;
  const { data, error, refetch } = useQuery(callQuery(slug, request, isWanted));
  const state = useMemo(
    () => callState(refused, { isWanted, answer: data, error }),
    [refused, isWanted, data, error],
  );
  return { state, retry: () => void refetch() };
}

/** The same of several requests, in their order. */
export function useCalls(requests: readonly Request[]): ShownCall[] {
  const { slug } = useWorkspace();
  const found = useQueries({ queries: requests.map((request) => callQuery(slug, request, true)) });
  return requests.map(({ refused_call: refused }, index) => {
    const { data, error = null, refetch } = found[index] ?? {};
    return {
      state: callState(refused, { isWanted: true, answer: data, error }),
      retry: () => void refetch?.(),
    };
  });
}
