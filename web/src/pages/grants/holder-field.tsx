import { Select } from '@mantine/core';
import { type KnownPerson, useNames } from '../../api/use-names.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import type { FieldProps } from './field-props.ts';

/** Admins grant to anyone; members to themselves and to agents that they own. */
export function HolderField({ values, errors, change }: FieldProps) {
  const { isAdmin } = useWorkspace();
  const me = useMe().user.id;
  const { people, agents } = useNames();
  const mine = agents.filter(
    ({ owner_id: owner, archived_at: archivedAt }) => archivedAt === null && (isAdmin || owner === me),
  );
  const option = (type: string, id: string, label: string) => ({ value: `${type}:${id}`, label });
  // Names of people are their own choice: the address tells apart who is called alike.
  const person = ({ id, name, email }: KnownPerson) => {
    const whose = [email ?? '', id === me ? 'you' : ''].filter((text) => text !== '').join(', ');
    return option('user', id, whose === '' ? name : `${name} (${whose})`);
  };
  return (
    <Select
      label="Grant to"
      description={
        isAdmin
          ? 'An agent: valid in all of its sessions, no matter who starts them. A person: valid in the sessions that they start, with any agent.'
          : 'Yourself: valid in the sessions that you start, with any agent. Or one of your agents. Admins can grant to anyone.'
      }
      required
      allowDeselect={false}
      searchable
      data={[
        { group: 'Agents', items: mine.map(({ id, name }) => option('agent', id, name)) },
        { group: 'People', items: people.map(person) },
      ]}
      value={values.holder === '' ? null : values.holder}
      onChange={(holder) => change({ holder: holder ?? '' })}
      error={errors['holder']}
    />
  );
}
