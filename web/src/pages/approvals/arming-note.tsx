import { Button } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import type { Unseen } from './unseen.ts';

const unseenText: Record<Exclude<Unseen, null>, string> = {
  choice: 'This opens more than one known call: see all of it first.',
  day: 'Choose a day to come first.',
  'end-of-call': 'Show the rest of the call first.',
  child: 'That agent can do more than is in sight: see all of it first.',
  'no-child': 'The start can be approved once what that agent can do is shown.',
  loading: 'The call can be approved once it is shown.',
  arguments: 'You have not seen the arguments of this call. The buttons work.',
};

const canBeShown: ReadonlySet<Unseen> = new Set<Unseen>(['choice', 'end-of-call', 'child']);

/**
 * Says whether the buttons work yet, also to screen-reader users. `onShow` leads to what has to be seen
 * first. `whole` says what was shown of the call, where that decides.
 */
export function ArmingNote({
  armed,
  unseen,
  whole,
  onShow,
}: {
  armed: boolean;
  unseen: Unseen;
  whole: string | null;
  onShow: () => void;
}) {
  const text = !armed
    ? 'Read before you decide. The buttons work in a moment.'
    : unseen === null
      ? (whole ?? 'Read before you decide. The buttons work.')
      : unseenText[unseen];
  return (
    <div className="arming" data-unseen={armed && unseen !== null}>
      {armed && unseen === null && whole !== null ? <Icon name="checkFilled" size={14} /> : null}
      <span role="status">{text}</span>
      {armed && canBeShown.has(unseen) ? (
        <Button size="compact-xs" variant="default" onClick={onShow}>
          Show the rest
        </Button>
      ) : null}
    </div>
  );
}
