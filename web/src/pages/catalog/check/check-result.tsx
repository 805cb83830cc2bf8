/** How a check ended, how long each part took, and what its server wrote. */
import { Alert, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { McpCheck } from '../../../api/types.ts';
import { Fact, FactList } from '../../../components/fact-list.tsx';
import { sizeText } from '../../../text/size-text.ts';
import { remedyByCause } from '../../sessions/process-text.ts';
import { CheckOutput } from './check-output.tsx';

export function CheckResult({ check }: { check: McpCheck }) {
  const [isReading, setReading] = useState(false);
  const { process, listing } = check;
  const outputSizeBytes = process?.output_size_bytes ?? null;
  return (
    <Card withBorder component="section" aria-label="How it went">
      <Stack gap="sm">
        <Title order={2} size="h4">
          How it went
        </Title>
        <Outcome check={check} />
        <FactList label="Times and end">
          <Fact name="Started">{durationText(check.created_at, check.started_at)}</Fact>
          <Fact name="First answer">{millisecondsText(process?.handshake_ms ?? null)}</Fact>
          <Fact name="Tools listed">{millisecondsText(listing?.list_ms ?? null)}</Fact>
          <Fact name="In all">{durationText(check.created_at, check.ended_at)}</Fact>
          <Fact name="Its process">{endText(process)}</Fact>
        </FactList>
        {outputSizeBytes === null ? (
          <Text size="sm" c="dimmed">
            Nothing is known of what it wrote to stderr.
          </Text>
        ) : (
          <Group>
            <Button variant="default" size="xs" onClick={() => setReading(true)}>
              Output ({sizeText(outputSizeBytes)})
            </Button>
          </Group>
        )}
        <CheckOutput check={isReading ? check : null} onClose={() => setReading(false)} />
      </Stack>
    </Card>
  );
}

function Outcome({ check: { status, reason, process, listing } }: { check: McpCheck }) {
  if (status === 'completed') {
    const count = listing?.tools.length ?? 0;
    const title = `The server works and lists ${count === 1 ? 'one tool' : `${count} tools`}`;
    return <Alert color="green" role="status" title={title} />;
  }
  const cause = process?.cause ?? null;
  return (
    <Alert
      color={status === 'cancelled' ? 'yellow' : 'red'}
      role="status"
      title={reason ?? 'The check failed'}
    >
      {cause === null ? null : remedyByCause[cause]}
    </Alert>
  );
}

const millisecondsText = (ms: number | null) => (ms === null ? 'not reached' : `after ${ms} ms`);

const durationText = (from: string, to: string | null) =>
  to === null ? 'not reached' : `after ${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`;

function endText(process: McpCheck['process']): string {
  if (process === null) {
    return 'never started';
  }
  const { exit_code: exitCode, signal } = process;
  const end = signal ?? (exitCode === null ? null : `exit code ${exitCode}`);
  return end === null ? 'was stopped with the check' : `ended with ${end}`;
}
