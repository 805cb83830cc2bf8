/** The stored request: what the dialog shows, and the outcome of a decision. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useSendGrant } from '../../api/passkeys.ts';
import { serverNowMs } from '../../api/server-time.ts';
import { stale } from '../../api/stale.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { grantBody } from './choices.ts';
import { type Decision, isInTime, maySendAgain, pauseBeforeSendingMs } from './decision-state.ts';
import { useIsOpen } from './use-is-open.ts';

/**
 * The stream announces every decision; this is the fallback for a request with an open dialog when
 * an announcement is lost.
 */
export const lookEveryMs = 15_000;

export const requestQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: keys.permissionRequests(slug, 'one', id),
    async queryFn({ signal }) {
      const params = { path: { slug, request_id: id } };
      const path = '/api/workspaces/{slug}/permission-requests/{request_id}';
      return (await call(api.GET(path, { params, signal }))).permission_request;
    },
    refetchInterval: (query) => (query.state.data?.status === 'open' ? lookEveryMs : false),
  });

export function useRequest(id: string) {
  const { slug } = useWorkspace();
  return useQuery(requestQuery(slug, id));
}

export interface ShownRequest {
  /** The request, with the call that is displayed: it is what a decision is about. */
  shown: PermissionRequest;
  /** How often the displayed call was exchanged for the one that the request has now. */
  replacements: number;
  /**
   * Displays the request's call of now; to be called when the platform refused a
   * decision on the one displayed.
   */
  replace: () => void;
  /** Whether the request has another call by now than the one displayed. */
  isOutdated: boolean;
}

/**
 * Keeps the call that the request had when the dialog opened: what is displayed and would be approved
 * never changes by itself.
 */
export function useShownRequest(request: PermissionRequest): ShownRequest {
  const [{ call, replacements }, setShown] = useState({ call: request.refused_call, replacements: 0 });
  return {
    shown: { ...request, refused_call: call },
    replacements,
    replace: () => setShown({ call: request.refused_call, replacements: replacements + 1 }),
    isOutdated: request.refused_call?.digest !== call?.digest,
  };
}

/**
 * Sends a decision, and resends it while no answer comes and the dialog is open. Whatever the answer, the
 * stored request is read again. `onRecorded` is called once the platform has it on record, with the id of the
 * grant that it made; `onDecided` after it, only where the person is still at this request.
 */
export function useDecide(
  request: PermissionRequest,
  {
    onRecorded,
    onDecided,
  }: { onRecorded: (decision: Decision, grantId: string | null) => void; onDecided: () => void },
) {
  const { slug } = useWorkspace();
  const send = useSendDecision(request);
  const isOpen = useIsOpen();
  const sentAtMs = useRef(0);
  const sent = useRef(0);
  const deadline = () => ({
    sentAtMs: sentAtMs.current,
    expiresAtMs: Date.parse(request.expires_at),
    nowMs: serverNowMs(),
  });
  return useApiMutation({
    send: async (decision: Decision) => {
      if (!isOpen.current || !isInTime(deadline())) {
        throw new Error('The decision was not sent again: too much time has passed.');
      }
      sent.current += 1;
      const attempt = sent.current;
      // Once for each press: what is sent again by itself takes the answer that came then.
      return await send(decision, () => attempt === 1 && sent.current === 1 && isOpen.current);
    },
    onSuccess: (grantId, decision) => {
      onRecorded(decision, grantId);
      if (isOpen.current) {
        onDecided();
      }
    },
    onMutate: () => {
      sentAtMs.current = serverNowMs();
      sent.current = 0;
    },
    retry: (_failures, error) => isOpen.current && maySendAgain(error, deadline()),
    retryDelay: pauseBeforeSendingMs,
    invalidates: stale.decision(slug, request.session_id),
    invalidatesOnError: stale.decision(slug, request.session_id),
  });
}

/**
 * `mayAsk`: whether the device may ask for a passkey; it never does where the button did not say so: then the
 * request is read again, and the person presses another button.
 */
function useSendDecision(request: PermissionRequest) {
  const { slug } = useWorkspace();
  const keyFor = useIdempotencyKey();
  const sendGrant = useSendGrant(slug);
  return async (decision: Decision, mayAsk: () => boolean): Promise<string | null> => {
    if (decision.kind === 'approve') {
      const asked = grantBody(request, decision.choice);
      const isNeeded = request.needs_passkey;
      const made = await sendGrant(asked, {
        header: keyFor(asked),
        isNeeded,
        mayAsk: () => isNeeded && mayAsk(),
      });
      return made.grant.id;
    }
    const { reason, mute } = decision;
    const params = { path: { slug, request_id: request.id } };
    const body = { mute, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
    await call(api.POST('/api/workspaces/{slug}/permission-requests/{request_id}/deny', { params, body }));
    return null;
  };
}
