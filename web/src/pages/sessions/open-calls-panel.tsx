/** Calls that wait for their server: what the agent is waiting for. */
import { Card, Code, Stack, Text, Title } from '@mantine/core';
import type { OpenCalls, Session } from '../../api/types.ts';
import { QueryState } from '../../components/query-state.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { absoluteTime } from '../../text/time-text.ts';
import { useOpenCalls } from './use-tool-calls.ts';

/** Nothing while no call has waited for some seconds, and of a session that has ended. */
export function OpenCallsPanel({ session }: { session: Session }) {
  const query = useOpenCalls(session);
  const { data, error } = query;
  const isEmpty = (data?.open_calls ?? []).length === 0 && error === null;
  // What was open when the session ended is in the list of its calls.
  if (isEmpty || session.ended_at !== null) {
    return null;
  }
  return (
    <Card withBorder padding="sm" component="section" aria-label="Open calls">
      <Title order={2} size="h5" mb={4}>
        Open calls
      </Title>
      <QueryState query={query} what="The open calls">
        {({ open_calls: calls, count }) => (
          <Stack gap="xs" component="ul" m={0} p={0}>
            {calls.map((each) => (
              <OpenRow key={each.call_id} open={each} />
            ))}
            {count > calls.length ? (
              <Text size="xs" c="dimmed">
                and {count - calls.length} more
              </Text>
            ) : null}
          </Stack>
        )}
      </QueryState>
    </Card>
  );
}

function OpenRow({ open }: { open: OpenCalls['open_calls'][number] }) {
  const { server, tool, started_at: startedAt, progressed_at: progressedAt } = open;
  return (
    <Stack component="li" gap={2} style={{ listStyle: 'none' }}>
      <Code style={{ overflowWrap: 'anywhere' }}>
        <VisibleText text={`${server}.${tool}`} />
      </Code>
      <Text size="xs" c="dimmed">
        waiting since {absoluteTime(startedAt)}
        {progressedAt === null ? '' : `, last progress ${absoluteTime(progressedAt)}`}
      </Text>
    </Stack>
  );
}
