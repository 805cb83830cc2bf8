import { Button, Group, Text } from '@mantine/core';

/** Says whether the buttons work yet, also to screen-reader users. `toSee` leads to what has to be seen first. */
export function ArmingNote({ armed, toSee }: { armed: boolean; toSee: (() => void) | null }) {
  const text = !armed
    ? 'The buttons work in a moment.'
    : toSee === null
      ? 'Read before you decide; the buttons work now.'
      : 'This goes further than one call: look at the choice before you approve.';
  return (
    <Group gap="xs">
      <Text size="xs" c="dimmed" role="status">
        {text}
      </Text>
      {armed && toSee !== null ? (
        <Button size="compact-xs" variant="default" onClick={toSee}>
          Show the choice
        </Button>
      ) : null}
    </Group>
  );
}
