import { Text } from '@mantine/core';

/** Says whether the buttons work yet, also to those who do not see them. */
export function ArmingNote({ armed }: { armed: boolean }) {
  return (
    <Text size="xs" c="dimmed" role="status">
      {armed ? 'Read before you decide; the buttons work now.' : 'The buttons work in a moment.'}
    </Text>
  );
}
