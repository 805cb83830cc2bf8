import { Select } from '@mantine/core';
import { useNames } from '../../api/use-names.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import type { FieldProps } from './field-props.ts';

/** Admins grant to anyone; members to themselves and to agents that they own. */
export function HolderField({ values, errors, change }: FieldProps) {
  const { isAdmin } = useWorkspace();
  const me = useMe().user.id;
  const { people, agents } = useNames();
  const mine = isAdmin ? agents : agents.filter(({ owner_id }) => owner_id === me);
  const option =
    (type: string) =>
    ({ id, name }: { id: string; name: string }) => ({
      value: `${type}:${id}`,
      label: id === me ? `${name} (you)` : name,
    });
  return (
    <Select
      label="Grant to"
      description={
        isAdmin
          ? 'An agent: valid in all of its sessions, no matter who starts them. A person: valid in the sessions that they drive, with any agent.'
          : 'Yourself: valid in the sessions that you drive, with any agent. Or one of your agents. Admins can grant to anyone.'
      }
      required
      allowDeselect={false}
      searchable
      data={[
        { group: 'Agents', items: mine.map(option('agent')) },
        { group: 'People', items: people.map(option('user')) },
      ]}
      value={values.holder === '' ? null : values.holder}
      onChange={(holder) => change({ holder: holder ?? '' })}
      error={errors['holder']}
    />
  );
}
