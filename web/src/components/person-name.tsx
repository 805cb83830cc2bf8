import { Text } from '@mantine/core';
import { usePeople } from '../api/use-names.ts';
import { useMe } from '../app/signed-in.tsx';
import { VisibleText } from './visible-text.tsx';

/**
 * Who did something: "you", or their name. The names of people who have left are not kept here, and
 * an id would mean nothing.
 */
export function PersonName({ id }: { id: string | null }) {
  const me = useMe();
  const { nameOf, isComplete } = usePeople();
  if (id === me.user.id) {
    return 'you';
  }
  const name = id === null ? null : nameOf(id);
  if (name !== null) {
    return <VisibleText text={name} />;
  }
  return (
    <Text span inherit c="dimmed">
      {id === null || isComplete ? 'a former member' : '…'}
    </Text>
  );
}
