/** Decides each request of a set by a decision of its own, one after another. */
import { useRef, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { useSendGrant } from '../../api/passkeys.ts';
import { stale } from '../../api/stale.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { newIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { grantBody } from './choices.ts';
import { decisionState, hasLost } from './decision-state.ts';
import { exactly, type Outcome, sendEach, type Verdict } from './together.ts';
import { useIsOpen } from './use-is-open.ts';

/**
 * What was not confirmed may be sent again, an approval under the same key. Once the dialog is closed nothing
 * more is sent: requests that were not decided by then stay open. `sent` is the set as it was shown when it
 * was decided, null before. `onRecorded` is called each time that nothing is on its way, `onAllRecorded`
 * after it, only where all of the set is recorded and the person is still at it.
 */
export function useDecideTogether(
  offered: readonly PermissionRequest[],
  {
    onRecorded,
    onAllRecorded,
  }: {
    onRecorded: (outcomes: readonly Outcome[], setSize: number, verdict: Verdict) => void;
    onAllRecorded: () => void;
  },
) {
  const { slug } = useWorkspace();
  const { user } = useMe();
  const sendGrant = useSendGrant(slug);
  const [sent, setSent] = useState<readonly PermissionRequest[] | null>(null);
  const [verdict, setVerdict] = useState<Verdict>({ kind: 'approve' });
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const keys = useRef(new Map<string, string>());
  const isOpen = useIsOpen();
  const keyOf = (id: string) => {
    const key = keys.current.get(id) ?? newIdempotencyKey();
    keys.current.set(id, key);
    return { 'Idempotency-Key': key };
  };
  const approve = async (request: PermissionRequest): Promise<Outcome> => {
    // Bound to exactly the call that was shown, by its digest: the API refuses it for any other.
    const body = grantBody(request, exactly);
    try {
      // None of a set needs a passkey, so that none is asked for in the middle of it.
      const { grant } = await sendGrant(body, { header: keyOf(request.id), mayAsk: () => false });
      return { requestId: request.id, grantId: grant.id, error: null };
    } catch (error) {
      return { requestId: request.id, grantId: null, error };
    }
  };
  const staleAfter = offered.flatMap(({ session_id: id }) => stale.decision(slug, id));
  const sending = useApiMutation({
    async send({ requests, as }: { requests: readonly PermissionRequest[]; setSize: number; as: Verdict }) {
      const found = new Map(outcomes);
      const decide =
        as.kind === 'approve'
          ? approve
          : ({ id }: PermissionRequest) => deny({ slug, requestId: id, userId: user.id }, as.reason);
      await sendEach(requests, decide, {
        isOpen: () => isOpen.current,
        onOutcome(outcome) {
          found.set(outcome.requestId, outcome);
          setOutcomes(new Map(found));
        },
      });
      return [...found.values()];
    },
    invalidates: staleAfter,
    invalidatesOnError: staleAfter,
    onSuccess(all, { setSize, as }) {
      onRecorded(all, setSize, as);
      if (isOpen.current && all.length === setSize && all.every(({ error }) => error === null)) {
        onAllRecorded();
      }
    },
  });
  return {
    sent,
    verdict,
    outcomes,
    // Also for the moment before the first of them is on its way.
    isSending: sending.isPending || (sent !== null && outcomes.size === 0),
    decideAll(set: readonly PermissionRequest[], as: Verdict) {
      setSent(set);
      setVerdict(as);
      sending.mutate({ requests: set, setSize: set.length, as });
    },
    sendAgain: (requests: readonly PermissionRequest[]) =>
      sending.mutate({ requests, setSize: (sent ?? []).length, as: verdict }),
  };
}

interface Denied {
  slug: string;
  requestId: string;
  /** Who denies it. */
  userId: string;
}

async function deny({ slug, requestId, userId }: Denied, text: string): Promise<Outcome> {
  const params = { path: { slug, request_id: requestId } };
  const reason = text.trim();
  const body = { mute: false, ...(reason === '' ? {} : { reason }) };
  try {
    await call(api.POST('/api/workspaces/{slug}/permission-requests/{request_id}/deny', { params, body }));
    return { requestId, grantId: null, error: null };
  } catch (error) {
    const state = decisionState({ isPending: false, failureReason: error, error });
    const isRecorded = state === 'too-late' && !hasLost(state, 'deny', await readClosed(params, userId));
    return { requestId, grantId: null, error: isRecorded ? null : error };
  }
}

/** How it was closed; open where that could not be read. */
async function readClosed(params: { path: { slug: string; request_id: string } }, userId: string) {
  try {
    const { permission_request: request } = await call(
      api.GET('/api/workspaces/{slug}/permission-requests/{request_id}', { params }),
    );
    return { status: request.status, isMine: request.decider?.id === userId };
  } catch {
    return { status: 'open', isMine: false };
  }
}
