/** How each decision of a set ended, once one of them was sent: which did not count, and why. */
import { Button } from '@mantine/core';
import type { PermissionRequest } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { failureMessage } from '../../components/failure-text.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { allowedText, isUnconfirmed, type Outcome } from './together.ts';

interface TogetherOutcomesProps {
  set: readonly PermissionRequest[];
  outcomes: ReadonlyMap<string, Outcome>;
  isSending: boolean;
  send: (requests: readonly PermissionRequest[]) => void;
  onClose: () => void;
}

export function TogetherOutcomes({ set, outcomes, isSending, send, onClose }: TogetherOutcomesProps) {
  const unconfirmed = set.filter(({ id }) => {
    const outcome = outcomes.get(id);
    return outcome !== undefined && isUnconfirmed(outcome);
  });
  return (
    <Banner
      tone={isSending ? 'wait' : 'fail'}
      role={isSending ? 'status' : 'alert'}
      title={isSending ? `Sent ${outcomes.size} of ${set.length}` : allowedText([...outcomes.values()])}
    >
      <ol className="together-outcomes" aria-label="Decisions">
        {set.map(({ id }, index) => (
          <li key={id}>
            {index + 1} of {set.length}: <OutcomeText outcome={outcomes.get(id)} />
          </li>
        ))}
      </ol>
      {isSending ? null : (
        <div className="request-buttons">
          {unconfirmed.length === 0 ? null : (
            <Button size="compact-sm" variant="default" onClick={() => send(unconfirmed)}>
              Send again what is not confirmed
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onClose}>
            Close
          </Button>
        </div>
      )}
    </Banner>
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
