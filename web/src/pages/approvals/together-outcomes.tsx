/** How each decision of a set ended, once one of them was sent: which did not count, and why. */
import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { failureMessage } from '../../components/failure-text.ts';
import { ToastPlace } from '../../components/toasts.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { allowedText, deniedText, isUnconfirmed, type Outcome, unsentOf, type Verdict } from './together.ts';

interface TogetherOutcomesProps {
  /** The set as it was sent. */
  sent: readonly PermissionRequest[];
  /** What is still in the set. */
  left: readonly PermissionRequest[];
  outcomes: ReadonlyMap<string, Outcome>;
  verdict: Verdict;
  isSending: boolean;
  sendAgain: (requests: readonly PermissionRequest[]) => void;
  onClose: () => void;
}

export function TogetherOutcomes({
  sent,
  left,
  outcomes,
  verdict,
  isSending,
  sendAgain,
  onClose,
}: TogetherOutcomesProps) {
  const banner = useRef<HTMLDivElement>(null);
  // The button that was pressed is gone, and the end of the calls was in sight.
  useEffect(() => banner.current?.focus(), []);
  const unsent = unsentOf(sent, outcomes, left);
  return (
    <>
      <Banner
        ref={banner}
        tabIndex={-1}
        className="quiet-focus"
        data-autofocus
        tone={isSending ? 'wait' : 'fail'}
        role={isSending ? 'status' : 'alert'}
        title={
          isSending
            ? `Sent ${outcomes.size} of ${sent.length}`
            : (verdict.kind === 'approve' ? allowedText : deniedText)([...outcomes.values()], sent.length)
        }
      >
        <ol className="together-outcomes" aria-label="Decisions">
          {sent.map(({ id }, index) => (
            <li key={id}>
              {index + 1} of {sent.length}: <OutcomeText outcome={outcomes.get(id)} verdict={verdict} />
            </li>
          ))}
        </ol>
        {isSending ? null : (
          <div className="request-buttons">
            {unsent.length === 0 ? null : (
              <Button size="compact-sm" variant="default" onClick={() => sendAgain(unsent)}>
                Send again what is not confirmed
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={onClose}>
              Close
            </Button>
          </div>
        )}
      </Banner>
      <ToastPlace />
    </>
  );
}

function OutcomeText({ outcome, verdict }: { outcome: Outcome | undefined; verdict: Verdict }) {
  const isApproval = verdict.kind === 'approve';
  if (outcome === undefined) {
    return 'not sent so far';
  }
  if (outcome.error === null) {
    return isApproval ? 'allowed once' : 'denied';
  }
  return (
    <>
      {isUnconfirmed(outcome) ? 'not confirmed. ' : isApproval ? 'not allowed. ' : 'not denied by you. '}
      <VisibleText text={failureMessage(outcome.error)} />
    </>
  );
}
