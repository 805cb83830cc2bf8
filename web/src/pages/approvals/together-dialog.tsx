/**
 * Several requests of one agent for one tool, each call shown whole. Approving them is as many decisions,
 * each for exactly the call that is shown; denying them, with one reason, is as many, too. Nothing that was
 * not offered comes to the set while it is looked at, what is closed or has to be decided by itself leaves
 * it, and whatever makes it another one has it looked at again.
 */
import { Button, Modal, Textarea, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { serverNowMs } from '../../api/server-time.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { AgentAvatar } from '../../components/avatar.tsx';
import { Icon } from '../../components/icon.tsx';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { announce, ToastPlace } from '../../components/toasts.tsx';
import { useArmed } from '../../components/use-armed.ts';
import { useExpired } from '../../components/use-expired.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { RefusedCall } from './call/refused-call.tsx';
import { type ShownCall, useCalls } from './call/use-call.ts';
import { useAllowedToast } from './decided-toast.ts';
import { timesText } from './earlier-text.ts';
import { AskedBy } from './request-chain.tsx';
import { WhoAsks } from './request-facts.tsx';
import { begunName, subjectOf } from './request-text.ts';
import {
  allowedText,
  deniedText,
  leftOf,
  type Verdict as SetVerdict,
  subjectOfSet,
  unseenOfSet,
} from './together.ts';
import { SetArming } from './together-arming.tsx';
import { TogetherGone } from './together-gone.tsx';
import { TogetherOutcomes } from './together-outcomes.tsx';
import { useDecideTogether } from './use-decide-together.ts';
import { useFocusAfter, useFocusWithin } from './use-focus-after.ts';
import { useHeldKeys } from './use-held-keys.ts';
import { useSeen } from './use-seen.ts';

interface TogetherDialogProps {
  /** Of the requests that were offered together; null closes the dialog. */
  ids: readonly string[] | null;
  /** As they are now. */
  listed: readonly PermissionRequest[];
  onClose: () => void;
}

export function TogetherDialog({ ids, listed, onClose }: TogetherDialogProps) {
  const small = useMediaQuery('(max-width: 40em)') ?? false;
  useFocusAfter(ids !== null);
  return (
    <Modal
      opened={ids !== null}
      onClose={onClose}
      title={<VisuallyHidden>Permission requests</VisuallyHidden>}
      classNames={{ content: 'request-dialog' }}
      size={760}
      yOffset="1dvh"
      fullScreen={small}
      closeOnClickOutside={false}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      {ids === null ? null : <Together {...{ ids, listed, onClose }} />}
    </Modal>
  );
}

type TogetherProps = Omit<TogetherDialogProps, 'ids'> & { ids: readonly string[] };

function Together({ ids, listed, onClose }: TogetherProps) {
  // What is gone by now is named as it was offered.
  const [offered] = useState(() => listed.filter(({ id }) => ids.includes(id)).toReversed());
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const wanted = offered.filter(({ id }) => !leftOut.includes(id));
  const { left, gone } = leftOf(wanted, listed, serverNowMs());
  useExpired(left.map(({ expires_at: end }) => end).sort()[0] ?? '');
  const content = useRef<HTMLDivElement>(null);
  useFocusWithin(content);
  useHeldKeys(content);
  const announceAllowed = useAllowedToast();
  const { sent, verdict, outcomes, isSending, decideAll, sendAgain } = useDecideTogether(offered, {
    onRecorded(all, setSize, { kind }) {
      if (kind === 'deny') {
        announce(deniedText(all, setSize));
        return;
      }
      const made = all.flatMap(({ grantId }) => (grantId === null ? [] : [grantId]));
      if (made.length > 0) {
        announceAllowed(allowedText(all, setSize), made);
      }
    },
    onAllRecorded: onClose,
  });
  const set = sent ?? left;
  const calls = useCalls(set);
  const review = useSetReview(set, calls);
  return (
    <div ref={content}>
      <Head first={offered[0]} count={set.length} />
      <div className="request together" ref={review.ref}>
        {sent === null ? (
          <TogetherGone gone={gone} />
        ) : (
          <TogetherOutcomes {...{ sent, left, outcomes, verdict, isSending, sendAgain, onClose }} />
        )}
        <ol className="together-calls" aria-label="Calls">
          {set.map((request, index) => {
            const shown = calls[index];
            return shown === undefined ? null : (
              <OneOfSet
                key={request.id}
                request={request}
                call={shown}
                place={`${index + 1} of ${set.length}`}
                onLeaveOut={
                  set.length > 2 && sent === null ? () => setLeftOut([...leftOut, request.id]) : null
                }
              />
            );
          })}
        </ol>
        {sent === null ? (
          <Answers {...{ set, review, onClose }} onDecide={(as) => decideAll(set, as)} />
        ) : null}
      </div>
    </div>
  );
}

function Answers({
  set,
  review: { armed, unseen, show },
  onClose,
  onDecide,
}: {
  set: readonly PermissionRequest[];
  review: ReturnType<typeof useSetReview>;
  onClose: () => void;
  onDecide: (verdict: SetVerdict) => void;
}) {
  const [reason, setReason] = useState<string | null>(null);
  if (reason !== null) {
    return (
      <div className="dialog-actions request-verdict">
        <Textarea
          label="Reason"
          description="Optional. Shown to the agent, and stored with each of the requests."
          autosize
          minRows={2}
          maxRows={6}
          maxLength={2000}
          autoFocus
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <div className="request-buttons">
          <Button variant="subtle" onClick={() => setReason(null)}>
            Back
          </Button>
          <Button
            className="deny-button"
            disabled={!armed || set.length === 0}
            onClick={() => onDecide({ kind: 'deny', reason })}
          >
            {set.length === 1 ? 'Deny this request' : `Deny these ${set.length} requests`}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className="dialog-actions request-verdict">
      <ToastPlace />
      {unseen === 'too-few' ? null : <Verdict set={set} />}
      <div className="request-bar">
        <SetArming armed={armed} unseen={unseen} count={set.length} onShow={show} />
        <div className="request-buttons">
          <Button variant="subtle" onClick={onClose}>
            Decide later
          </Button>
          {unseen === 'too-few' ? null : (
            <>
              <Button variant="default" disabled={!armed} onClick={() => setReason('')}>
                Deny…
              </Button>
              <Button disabled={!armed || unseen !== null} onClick={() => onDecide({ kind: 'approve' })}>
                Approve these {set.length} calls
              </Button>
            </>
          )}
        </div>
      </div>
    </div>
  );
}

/** Disarmed, and to be seen again, whenever the set or what is shown of it is another. */
function useSetReview(set: readonly PermissionRequest[], calls: readonly ShownCall[]) {
  const kinds = calls.map(({ state }) => state.kind);
  const subject = subjectOfSet(set, kinds);
  const armed = useArmed(subject);
  const { ref, seen, show } = useSeen(subject);
  return { armed, ref, show, unseen: unseenOfSet(kinds, seen) };
}

function Head({ first, count }: { first: PermissionRequest | undefined; count: number }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return first === undefined ? null : (
    <div className="request-head">
      <AgentAvatar name={first.agent.name} />
      <div>
        <h3 tabIndex={-1} data-autofocus ref={heading} className="quiet-focus">
          <VisibleText text={begunName(first.agent.name)} /> wants {subjectOf(first).what}{' '}
          <span className="call-tool">
            <VisibleText text={begunName(subjectOf(first).name)} />
          </span>{' '}
          {count === 0 ? '' : timesText(count)}
        </h3>
        <p className="together-note">Each call is shown whole, and each is approved for itself.</p>
      </div>
    </div>
  );
}

function OneOfSet({
  request,
  call,
  place,
  onLeaveOut,
}: {
  request: PermissionRequest;
  call: ShownCall;
  place: string;
  onLeaveOut: (() => void) | null;
}) {
  return (
    <li>
      <div className="together-head">
        <h4 className="request-label">{place}</h4>
        {onLeaveOut === null ? null : (
          <Button size="compact-xs" variant="subtle" onClick={onLeaveOut} aria-label={`Leave out ${place}`}>
            Leave out
          </Button>
        )}
      </div>
      <div data-decides>
        <WhoAsks request={request} />
        <AskedBy request={request} />
      </div>
      <RefusedCall request={request} call={call} decides />
      {request.justification === null || request.justification === '' ? null : (
        <QuotedClaim by={request.agent.name} text={request.justification} />
      )}
    </li>
  );
}

function Verdict({ set }: { set: readonly PermissionRequest[] }) {
  const [first] = set;
  return first === undefined ? null : (
    <p className="verdict-text">
      <Icon name="arrowRight" size={14} />
      <span>
        You allow <VisibleText text={begunName(first.agent.name)} />, once each, with exactly the arguments
        that are shown:{' '}
        <strong>
          {set.length} calls of{' '}
          <span className="verdict-code">
            <VisibleText text={subjectOf(first).name} />
          </span>
        </strong>
        .
      </span>
    </p>
  );
}
