import { Button, Group, Text } from '@mantine/core';
import type { Unseen } from './unseen.ts';

const unseenText: Record<Exclude<Unseen, null>, string> = {
  choice: 'This allows more than one call: review the choice before you approve.',
  'end-of-call': 'The call continues: review it to its end before you approve.',
  child: 'That agent can do more than is in sight: review all of it before you approve.',
  'no-child': 'The start can be approved once what that agent can do is shown.',
  loading: 'The call can be approved once it is shown.',
  arguments: 'You have not seen the arguments of this call. The buttons are active.',
};

const showLabel = new Map<Unseen, string>([
  ['choice', 'Show choice'],
  ['end-of-call', 'Show end of call'],
  ['child', 'Show the rest'],
]);

/**
 * Says whether the buttons work yet, also to screen-reader users. `onShow` leads to
 * what has to be seen first.
 */
export function ArmingNote({
  armed,
  unseen,
  onShow,
}: {
  armed: boolean;
  unseen: Unseen;
  onShow: () => void;
}) {
  const text = !armed
    ? 'The buttons become active in a moment.'
    : unseen === null
      ? 'Read before you decide. The buttons are active.'
      : unseenText[unseen];
  const label = showLabel.get(unseen);
  return (
    <Group gap="xs">
      <Text size="xs" c="dimmed" role="status">
        {text}
      </Text>
      {armed && label !== undefined ? (
        <Button size="compact-xs" variant="default" onClick={onShow}>
          {label}
        </Button>
      ) : null}
    </Group>
  );
}
