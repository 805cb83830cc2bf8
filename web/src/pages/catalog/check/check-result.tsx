/** How a check ended, how long each part took, and what its server wrote. */
import { Button, Card, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, call } from '../../../api/client.ts';
import { keys } from '../../../api/keys.ts';
import type { McpCheck } from '../../../api/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { Banner } from '../../../components/banner.tsx';
import { Fact, FactList } from '../../../components/fact-list.tsx';
import { readOnRequest, WrittenOutput } from '../../../components/written-output.tsx';
import { sizeText } from '../../../text/size-text.ts';
import { remedyByCause } from '../../sessions/process-text.ts';

export function CheckResult({ name, check }: { name: string; check: McpCheck }) {
  const [isReading, setReading] = useState(false);
  const { process, listing } = check;
  const outputSizeBytes = process?.output_size_bytes ?? null;
  return (
    <Card withBorder component="section" aria-label="Result">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Result
        </Title>
        <Outcome name={name} check={check} />
        <FactList label="Timing">
          <Fact name="Sandbox start">{durationText(check.created_at, check.started_at)}</Fact>
          <Fact name="First response">{millisecondsText(process?.handshake_ms ?? null)}</Fact>
          <Fact name="Tool listing">{millisecondsText(listing?.list_ms ?? null)}</Fact>
          <Fact name="Total, including removal">{durationText(check.created_at, check.ended_at)}</Fact>
          <Fact name="Process">{endText(check)}</Fact>
        </FactList>
        {outputSizeBytes === null ? (
          <Text size="sm" c="dimmed">
            No stderr output was kept.
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

function Outcome({ name, check: { status, reason, process, listing } }: { name: string; check: McpCheck }) {
  const { slug } = useWorkspace();
  if (status === 'completed') {
    const count = listing?.tools.length ?? 0;
    const title = `The server works and lists ${count === 1 ? 'one tool' : `${count} tools`}`;
    return <Banner tone="ok" role="status" title={title} />;
  }
  const cause = process?.cause ?? null;
  return (
    <Banner
      tone={status === 'cancelled' ? 'wait' : 'fail'}
      role="status"
      title={reason ?? 'The check failed'}
    >
      {cause === null ? null : <Text size="sm">{remedyByCause[cause]}</Text>}
      <Group gap="xs" mt="xs">
        <Button component={Link} href={pathOf(slug, 'catalog', name)} variant="default" size="xs">
          View entry
        </Button>
        <Button component={Link} href={pathOf(slug, 'catalog', name, 'edit')} variant="default" size="xs">
          Edit entry
        </Button>
      </Group>
    </Banner>
  );
}

const millisecondsText = (ms: number | null) => (ms === null ? 'none' : `${ms} ms`);

const durationText = (from: string, to: string | null) =>
  to === null ? 'none' : `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`;

/** A server that answered is stopped afterwards: how it exits then means nothing. */
function endText({ status, process }: McpCheck): string {
  if (process === null) {
    return 'never started';
  }
  const { exit_code: exitCode, signal } = process;
  const end = signal ?? (exitCode === null ? null : `exit code ${exitCode}`);
  if (status === 'completed') {
    return `stopped after the check${end === null ? '' : ` (${end})`}`;
  }
  return end === null ? 'stopped after the check' : `ended with ${end}`;
}

/** What the server of a check wrote to stderr. Each reading is audited. */
function CheckOutput({ check, onClose }: { check: McpCheck | null; onClose: () => void }) {
  const title = `Output of ${check?.mcp_server.name ?? ''}`;
  return (
    <Modal opened={check !== null} onClose={onClose} size="xl" title={title}>
      {check === null ? null : <Output check={check} />}
    </Modal>
  );
}

function Output({ check: { id, mcp_server } }: { check: McpCheck }) {
  const { slug } = useWorkspace();
  const { name } = mcp_server;
  const output = useQuery({
    queryKey: keys.mcpChecks(slug, name, id, 'output'),
    queryFn({ signal }) {
      const params = { path: { slug, name, check_id: id } };
      const path = '/api/workspaces/{slug}/mcp-servers/{name}/checks/{check_id}/output';
      return call(api.GET(path, { params, signal }));
    },
    ...readOnRequest,
  });
  return <WrittenOutput name={name} query={output} />;
}
