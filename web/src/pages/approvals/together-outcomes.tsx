/** How each decision of a set ended, once one of them was sent: which did not count, and why. */
import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { failureMessage } from '../../components/failure-text.ts';
import { ToastPlace } from '../../components/toasts.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { allowedText, isUnconfirmed, type Outcome, unsentOf } from './together.ts';

interface TogetherOutcomesProps {
  /** The set as it was sent. */
  sent: readonly PermissionRequest[];
  /** What is still in the set. */
  left: readonly PermissionRequest[];
  outcomes: ReadonlyMap<string, Outcome>;
  isSending: boolean;
  sendAgain: (requests: readonly PermissionRequest[]) => void;
  onClose: () => void;
}

export function TogetherOutcomes({
  sent,
  left,
  outcomes,
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
            : allowedText([...outcomes.values()], sent.length)
        }
      >
        <ol className="together-outcomes" aria-label="Decisions">
          {sent.map(({ id }, index) => (
            <li key={id}>
              {index + 1} of {sent.length}: <OutcomeText outcome={outcomes.get(id)} />
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

function OutcomeText({ outcome }: { outcome: Outcome | undefined }) {
  if (outcome === undefined) {
    return 'not sent so far';
  }
  if (outcome.error === null) {
    return 'allowed once';
  }
  return (
    <>
      {isUnconfirmed(outcome) ? 'not confirmed. ' : 'not allowed. '}
      <VisibleText text={failureMessage(outcome.error)} />
    </>
  );
}
