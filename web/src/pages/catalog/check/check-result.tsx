/** How a check ended, how long each part took, and what its server wrote. */
import { Button, Card, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, call } from '../../../api/client.ts';
import { keys } from '../../../api/keys.ts';
import type { McpCheck } from '../../../api/types.ts';
import { useServerNow } from '../../../api/use-server-now.ts';
import { pathOf } from '../../../app/paths.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { Banner } from '../../../components/banner.tsx';
import { Fact, FactList } from '../../../components/fact-list.tsx';
import { StepList } from '../../../components/step-list.tsx';
import { readOnRequest, WrittenOutput } from '../../../components/written-output.tsx';
import { sizeText } from '../../../text/size-text.ts';
import { remedyByCause } from '../../sessions/process-text.ts';
import { checkSteps } from './check-steps.ts';

/** The step that goes on counts its seconds. */
export function CheckSteps({ check }: { check: McpCheck }) {
  const nowMs = useServerNow(check.ended_at === null);
  return <StepList steps={checkSteps(check, nowMs)} failed="the check ended here" />;
}

export function CheckResult({ name, check }: { name: string; check: McpCheck }) {
  return (
    <Card withBorder component="section" aria-label="Result">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Result
        </Title>
        <Outcome name={name} check={check} />
        <CheckSteps check={check} />
        <FactList label="Timing">
          <Fact name="Total, including removal">{durationText(check.created_at, check.ended_at)}</Fact>
          <Fact name="Process">{endText(check)}</Fact>
        </FactList>
        <OutputPart check={check} />
      </Stack>
    </Card>
  );
}

/**
 * What was written so far, also while the check runs: read when somebody asks, since each reading is
 * audited.
 */
export function OutputPart({ check }: { check: McpCheck }) {
  const [isReading, setReading] = useState(false);
  const size = check.process?.output_size_bytes ?? null;
  return (
    <>
      {size === null ? (
        <Text size="sm" c="dimmed">
          {check.ended_at === null ? 'It has written nothing to stderr yet.' : 'No stderr output was kept.'}
        </Text>
      ) : (
        <Group>
          <Button variant="default" size="xs" onClick={() => setReading(true)}>
            Output ({sizeText(size)})
          </Button>
        </Group>
      )}
      <CheckOutput check={isReading ? check : null} onClose={() => setReading(false)} />
    </>
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
