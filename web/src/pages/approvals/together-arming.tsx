import { Button } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import type { UnseenOfSet } from './together.ts';

const unseenText: Record<Exclude<UnseenOfSet, null>, string> = {
  'too-few': 'What is left is decided by itself, in the list.',
  loading: 'The calls can be approved once they are shown.',
  'not-shown': 'A call that cannot be shown is not approved with others: leave it out.',
  'end-of-calls': 'Show the rest of the calls first.',
};

/** As `ArmingNote`, for a set of calls. */
export function SetArming({
  armed,
  unseen,
  count,
  onShow,
}: {
  armed: boolean;
  unseen: UnseenOfSet;
  count: number;
  onShow: () => void;
}) {
  const text =
    !armed && unseen !== 'too-few'
      ? 'Read before you decide. The buttons work in a moment.'
      : unseen === null
        ? `All ${count} calls are shown to their ends.`
        : unseenText[unseen];
  return (
    <div className="arming" data-unseen={armed && unseen !== null}>
      {armed && unseen === null ? <Icon name="checkFilled" size={14} /> : null}
      <span role="status">{text}</span>
      {armed && unseen === 'end-of-calls' ? (
        <Button size="compact-xs" variant="default" onClick={onShow}>
          Show the rest
        </Button>
      ) : null}
    </div>
  );
}
