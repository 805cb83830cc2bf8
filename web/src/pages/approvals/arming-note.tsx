import { Button, Group, Text } from '@mantine/core';

/** Says whether the buttons work yet, also to screen-reader users. `toSee` leads to what has to be seen first. */
export function ArmingNote({ armed, toSee }: { armed: boolean; toSee: (() => void) | null }) {
  const text = !armed
    ? 'The buttons become active in a moment.'
    : toSee === null
      ? 'Read before you decide. The buttons are active.'
      : 'This allows more than one call: review the choice before you approve.';
  return (
    <Group gap="xs">
      <Text size="xs" c="dimmed" role="status">
        {text}
      </Text>
      {armed && toSee !== null ? (
        <Button size="compact-xs" variant="default" onClick={toSee}>
          Show choice
        </Button>
      ) : null}
    </Group>
  );
}
