import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Agent, DailyModelUsage } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
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
    <Table.ScrollContainer minWidth={480}>
      <Table aria-label="Tokens by day" captionSide="top">
        <Table.Caption ta="left">
          {numberText(total)} tokens in the last {days} days, by day (UTC), of the sessions that you may read
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Day</Table.Th>
            <Table.Th>Endpoint</Table.Th>
            <Table.Th ta="right">Sessions</Table.Th>
            <Table.Th ta="right">Requests</Table.Th>
            <Table.Th ta="right">Tokens</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ day, endpoint, sessions, requests, used_tokens }) => (
            <Table.Tr key={`${day} ${endpoint}`}>
              <Table.Td>{day}</Table.Td>
              <Table.Td>{endpoint}</Table.Td>
              <Table.Td ta="right">{numberText(sessions)}</Table.Td>
              <Table.Td ta="right">{numberText(requests)}</Table.Td>
              <Table.Td ta="right">{numberText(used_tokens)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
