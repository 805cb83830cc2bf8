import { useQuery } from '@tanstack/react-query';
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

/**
 * The refused call of a request, whose arguments are read while `isWanted` and forgotten as soon as nothing
 * shows them. `request` is the one that is displayed: arguments of another call than its own are not shown.
 */
export function useCall(
  { id, refused_call: refused }: Pick<PermissionRequest, 'id' | 'refused_call'>,
  isWanted: boolean,
): ShownCall {
  const { slug } = useWorkspace();
  const digest = refused?.digest ?? null;
  const { data, error, refetch } = useQuery({
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
  const state = useMemo(
    () => callState(refused, { isWanted, answer: data, error }),
    [refused, isWanted, data, error],
  );
  return { state, retry: () => void refetch() };
}
