/**
 * Several requests of one agent for one tool, each call shown whole. Approving them is as many decisions,
 * each for exactly the call that is shown. The set never grows while it is looked at, and whatever makes it
 * another one has it looked at again.
 */
import { Button, Modal, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { AgentAvatar } from '../../components/avatar.tsx';
import { Icon } from '../../components/icon.tsx';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { ToastPlace } from '../../components/toasts.tsx';
import { useArmed } from '../../components/use-armed.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { RefusedCall } from './call/refused-call.tsx';
import { type ShownCall, useCalls } from './call/use-call.ts';
import { useAllowedToast } from './decided-toast.ts';
import { AskedBy } from './request-chain.tsx';
import { WhoAsks } from './request-facts.tsx';
import { begunName, subjectOf } from './request-text.ts';
import { allowedText, unseenOfSet } from './together.ts';
import { SetArming } from './together-arming.tsx';
import { TogetherOutcomes } from './together-outcomes.tsx';
import { useDecideTogether } from './use-decide-together.ts';
import { useFocusAfter, useFocusWithin } from './use-focus-after.ts';
import { useHeldKeys } from './use-held-keys.ts';
import { useSeen } from './use-seen.ts';

interface TogetherDialogProps {
  /** As they were when the dialog was opened; null closes it. */
  set: readonly PermissionRequest[] | null;
  onClose: () => void;
}

export function TogetherDialog({ set, onClose }: TogetherDialogProps) {
  const small = useMediaQuery('(max-width: 40em)') ?? false;
  useFocusAfter(set !== null);
  return (
    <Modal
      opened={set !== null}
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
      {set === null ? null : <Together asked={set} onClose={onClose} />}
    </Modal>
  );
}

function Together({ asked, onClose }: { asked: readonly PermissionRequest[]; onClose: () => void }) {
  const [left, setLeft] = useState<readonly string[]>([]);
  const set = asked.filter(({ id }) => !left.includes(id));
  const content = useRef<HTMLDivElement>(null);
  useFocusWithin(content);
  useHeldKeys(content);
  const announceAllowed = useAllowedToast();
  const { outcomes, isSending, send } = useDecideTogether(set, {
    onDone(all, { isOpen }) {
      const made = all.flatMap(({ grantId }) => (grantId === null ? [] : [grantId]));
      if (made.length > 0) {
        announceAllowed(allowedText(all), made);
      }
      if (isOpen) {
        onClose();
      }
    },
  });
  const calls = useCalls(set);
  const review = useSetReview(set, calls);
  const mayApprove = review.armed && review.unseen === null && !isSending && set.length > 1;
  const isSent = outcomes.size > 0 || isSending;
  return (
    <div ref={content}>
      <Head set={set} />
      <div className="request together" ref={review.ref}>
        {isSent ? <TogetherOutcomes {...{ set, outcomes, isSending, send, onClose }} /> : null}
        <ol className="together-calls" aria-label="Calls">
          {set.map((request, index) => {
            const shown = calls[index];
            return shown === undefined ? null : (
              <OneOfSet
                key={request.id}
                request={request}
                call={shown}
                place={`${index + 1} of ${set.length}`}
                onLeaveOut={set.length > 2 && !isSent ? () => setLeft([...left, request.id]) : null}
              />
            );
          })}
        </ol>
        {isSent ? null : (
          <div className="dialog-actions request-verdict">
            <ToastPlace />
            <Verdict set={set} />
            <div className="request-bar">
              <SetArming
                armed={review.armed}
                unseen={review.unseen}
                count={set.length}
                onShow={review.show}
              />
              <div className="request-buttons">
                <Button variant="subtle" onClick={onClose}>
                  Decide later
                </Button>
                <Button disabled={!mayApprove} onClick={() => send(set)}>
                  Approve these {set.length} calls
                </Button>
              </div>
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

/** Disarmed, and to be seen again, whenever the set or what is shown of it is another. */
function useSetReview(set: readonly PermissionRequest[], calls: readonly ShownCall[]) {
  const kinds = calls.map(({ state }) => state.kind);
  const subject = set
    .map(({ id, refused_call: refused }, index) => `${id} ${refused?.digest} ${kinds[index]}`)
    .join('; ');
  const armed = useArmed(subject);
  const { ref, seen, show } = useSeen(subject);
  return { armed, ref, show, unseen: unseenOfSet(kinds, seen) };
}

function Head({ set: [first, ...others] }: { set: readonly PermissionRequest[] }) {
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
          {others.length + 1} times
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
      <WhoAsks request={request} />
      <AskedBy request={request} />
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
