import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { fetchAll } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { relativeTime } from '../../text/time-text.ts';
import type { FieldProps } from './field-props.ts';

/** Sessions that run now and that the holder has a part in. */
export function SessionField({ values, errors, change }: FieldProps) {
  const { slug } = useWorkspace();
  const [type, id = ''] = values.holder.split(':');
  const { data } = useQuery({
    queryKey: keys.sessions(slug, 'running', type === 'agent' ? id : null),
    enabled: id !== '',
    queryFn: ({ signal }) =>
      fetchAll(async (page) => {
        const query = { ...page, status: 'running' as const, ...(type === 'agent' ? { agent_id: id } : {}) };
        const params = { path: { slug }, query };
        const found = await call(api.GET('/api/workspaces/{slug}/sessions', { params, signal }));
        return { items: found.sessions, next_cursor: found.next_cursor };
      }),
  });
  const sessions = data?.filter(({ operator_id }) => type === 'agent' || operator_id === id);
  return (
    <Select
      label="Session"
      description="A running session of that agent or person."
      placeholder={sessions?.length === 0 ? 'No running sessions' : 'Choose'}
      required
      allowDeselect={false}
      searchable
      data={sessions?.map(optionOf) ?? []}
      value={values.session === '' ? null : values.session}
      onChange={(session) => change({ session: session ?? '' })}
      error={errors['session']}
    />
  );
}

function optionOf({ id, agent, operator, created_at: at }: Session) {
  const driven = operator === null ? '' : `, started by ${operator.name}`;
  return { value: id, label: `${agent.name}, ${relativeTime(at, Date.now())}${driven} (${id.slice(0, 8)})` };
}
