/** Above the inbox: requests that can be looked at and decided together. */
import { Button } from '@mantine/core';
import { serverNowMs } from '../../api/server-time.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { Icon } from '../../components/icon.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { subjectOf } from './request-text.ts';
import { setsOf } from './together.ts';
import { afterDialog } from './use-focus-after.ts';

export function TogetherOffers({
  requests,
  onReview,
}: {
  requests: readonly PermissionRequest[];
  onReview: (ids: readonly string[]) => void;
}) {
  const sets = setsOf(requests, serverNowMs());
  return sets.length === 0 ? null : (
    <ul className="together-offers" aria-label="Requests of the same agent for the same tool">
      {sets.map((set) => (
        <Offer key={set[0]?.id} set={set} onReview={() => onReview(set.map(({ id }) => id))} />
      ))}
    </ul>
  );
}

function Offer({ set, onReview }: { set: readonly PermissionRequest[]; onReview: () => void }) {
  const [first] = set;
  if (first === undefined) {
    return null;
  }
  const { name } = subjectOf(first);
  return (
    <li>
      <Icon name="approvals" size={16} />
      <span>
        <strong>
          <VisibleText text={first.agent.name} />
        </strong>{' '}
        asks {set.length} times to call{' '}
        <span className="call-tool">
          <VisibleText text={name} />
        </span>
      </span>
      <Button
        size="compact-sm"
        variant="default"
        onClick={onReview}
        {...afterDialog}
        aria-label={`Review together: ${set.length} requests of ${first.agent.name} for ${name}`}
      >
        Review together
      </Button>
    </li>
  );
}
