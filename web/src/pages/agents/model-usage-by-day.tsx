import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Agent, DailyModelUsage } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { numberText } from '../../text/number-text.ts';

const days = 30;

/** What an agent's sessions took of its models, of those that one may read. */
export function ModelUsageByDay({ agent }: { agent: Agent }) {
  const { slug } = useWorkspace();
  const query = useQuery({
    queryKey: keys.agent(agent.id, 'model-usage'),
    queryFn({ signal }) {
      const params = { path: { slug }, query: { agent_id: agent.id, days } };
      return call(api.GET('/api/workspaces/{slug}/model-usage', { params, signal }));
    },
    // Requests have no events of their own.
    refetchInterval: 60_000,
  });
  return (
    <QueryState query={query} what="The usage of models">
      {({ model_usage: rows }) => (rows.length === 0 ? <None /> : <Rows rows={rows} />)}
    </QueryState>
  );
}

const None = () => (
  <Text size="sm" c="dimmed">
    Sessions that you may read have used no tokens in the last {days} days.
  </Text>
);

function Rows({ rows }: { rows: readonly DailyModelUsage[] }) {
  const total = rows.reduce((sum, { used_tokens }) => sum + used_tokens, 0);
  return (
    <>
      <Text size="sm" c="dimmed">
        {numberText(total)} tokens in the last {days} days, by day (UTC), of the sessions that you may read
      </Text>
      <DataTable
        label="Tokens by day"
        minWidth={480}
        columns={[
          'Day',
          'Endpoint',
          { name: 'Sessions', isRight: true },
          { name: 'Requests', isRight: true },
          { name: 'Tokens', isRight: true },
        ]}
      >
        {rows.map(({ day, endpoint, sessions, requests, used_tokens }) => (
          <tr key={`${day} ${endpoint}`}>
            <td>{day}</td>
            <td>{endpoint}</td>
            <td className="right">{numberText(sessions)}</td>
            <td className="right">{numberText(requests)}</td>
            <td className="right">{numberText(used_tokens)}</td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}
