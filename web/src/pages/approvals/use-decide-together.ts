/** Approves each request of a set by a decision of its own, one after another. */
import { useEffect, useRef, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { newIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { grantBody } from './choices.ts';
import { exactly, type Outcome } from './together.ts';

/**
 * What was not confirmed may be sent again, under the same key. Once the dialog is closed nothing more is
 * sent: requests that were not decided by then stay open. `onDone` is called once all are recorded, or the
 * dialog is closed and no more is sent.
 */
export function useDecideTogether(
  set: readonly PermissionRequest[],
  { onDone }: { onDone: (outcomes: readonly Outcome[], state: { isOpen: boolean }) => void },
) {
  const { slug } = useWorkspace();
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const keys = useRef(new Map<string, string>());
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const keyOf = (id: string) => {
    const key = keys.current.get(id) ?? newIdempotencyKey();
    keys.current.set(id, key);
    return { 'Idempotency-Key': key };
  };
  const approve = async (request: PermissionRequest): Promise<Outcome> => {
    // Bound to exactly the call that was shown, by its digest: the API refuses it for any other.
    const body = grantBody(request, exactly);
    const params = { path: { slug }, header: keyOf(request.id) };
    try {
      const { grant } = await call(api.POST('/api/workspaces/{slug}/grants', { params, body }));
      return { requestId: request.id, grantId: grant.id, error: null };
    } catch (error) {
      return { requestId: request.id, grantId: null, error };
    }
  };
  const staleAfter = set.flatMap(({ session_id: id }) => stale.decision(slug, id));
  const sending = useApiMutation({
    async send(requests: readonly PermissionRequest[]) {
      const found = new Map(outcomes);
      for (const request of requests) {
        if (isOpen.current) {
          found.set(request.id, await approve(request));
          setOutcomes(new Map(found));
        }
      }
      return [...found.values()];
    },
    invalidates: staleAfter,
    invalidatesOnError: staleAfter,
    onSuccess(all) {
      if (!isOpen.current || all.every(({ error }) => error === null)) {
        onDone(all, { isOpen: isOpen.current });
      }
    },
  });
  return { outcomes, isSending: sending.isPending, send: sending.mutate };
}
