import { Text } from '@mantine/core';
import { useNames } from '../api/use-names.ts';
import { useMe } from '../app/signed-in.tsx';
import { CopyableId } from './copyable-id.tsx';
import { VisibleText } from './visible-text.tsx';

/** Who did something: "you", a member's name where one may read the members, else their id. */
export function PersonName({ id }: { id: string | null }) {
  const me = useMe();
  const { nameOf } = useNames();
  if (id === null) {
    return (
      <Text span inherit c="dimmed">
        somebody who has left
      </Text>
    );
  }
  if (id === me.user.id) {
    return 'you';
  }
  const name = nameOf(id);
  return name === null ? <CopyableId id={id} /> : <VisibleText text={name} />;
}
