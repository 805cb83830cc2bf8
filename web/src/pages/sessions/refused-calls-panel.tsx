/** Calls that the agent made beyond a limit of its session: they reached nothing, and are kept as numbers. */
import { Card, Code, Group, Stack, Text, Title, Tooltip } from '@mantine/core';
import type { RefusedCalls, Session } from '../../api/types.ts';
import { Status } from '../../components/pill.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { absoluteTime, minutesText } from '../../text/time-text.ts';
import { callOutcomeText } from './call-text.ts';
import { useRefusedCalls } from './use-tool-calls.ts';

/** Nothing for a session that stayed within its limits. */
export function RefusedCallsPanel({ session }: { session: Session }) {
  const query = useRefusedCalls(session);
  const { data, error } = query;
  if ((data?.refused_calls ?? []).length === 0 && error === null) {
    return null;
  }
  return (
    <Card withBorder padding="sm" component="section" aria-label="Calls over the limit">
      <Title order={2} size="h5" mb={4}>
        Calls over the limit
      </Title>
      <QueryState query={query} what="The refused calls">
        {({ refused_calls: refused }) => (
          <>
            <Text size="xs" c="dimmed" mb="xs">
              The agent exceeded its call limits. These calls reached no server, and are counted instead of
              listed.
            </Text>
            <Stack gap="xs" component="ul" m={0} p={0}>
              {refused.map((calls) => (
                <RefusedRow key={JSON.stringify([calls.server, calls.tool, calls.outcome])} calls={calls} />
              ))}
            </Stack>
          </>
        )}
      </QueryState>
    </Card>
  );
}

const number = new Intl.NumberFormat('en');

function RefusedRow({ calls }: { calls: RefusedCalls }) {
  const { server, tool, outcome, count, first_minute: first, last_minute: last } = calls;
  const { label, tone, meaning } = callOutcomeText[outcome];
  return (
    <Stack component="li" gap={2} style={{ listStyle: 'none' }}>
      <Group gap="xs">
        <Code style={{ overflowWrap: 'anywhere' }}>
          <VisibleText text={`${server}.${tool}`} />
        </Code>
        <Tooltip label={meaning}>
          <Status tone={tone}>{label}</Status>
        </Tooltip>
      </Group>
      <Text size="xs" c="dimmed" title={`${absoluteTime(first)} to ${absoluteTime(last)}`}>
        {count === 1 ? '1 call' : `${number.format(count)} calls`} {minutesText(first, last)}
      </Text>
    </Stack>
  );
}
