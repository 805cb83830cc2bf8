/**
 * The state of a session's MCP servers, its agent and, apart from them, its siblings, and for admins their
 * output; and the alert above it all, which says why one failed.
 */
import { Button, Card, Group, List, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { SessionProcess } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { Pill } from '../../components/pill.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { ProcessOutput } from './process-output.tsx';
import {
  failureText,
  faultTexts,
  isSibling,
  processFacts,
  processStateTone,
  processStateWord,
  remedyByCause,
} from './process-text.ts';
import { useProcesses } from './use-processes.ts';

export function ServersPanel({ sessionId }: { sessionId: string }) {
  const query = useProcesses(sessionId);
  const [opened, setOpened] = useState<SessionProcess | null>(null);
  return (
    <Card withBorder padding="sm" component="section" aria-label="Servers">
      <Title order={2} size="h5" mb="xs">
        Servers
      </Title>
      <QueryState query={query} what="The servers">
        {({ processes }) => <Processes processes={processes} onOpen={setOpened} />}
      </QueryState>
      <ProcessOutput process={opened} sessionId={sessionId} onClose={() => setOpened(null)} />
    </Card>
  );
}

function Processes({
  processes,
  onOpen,
}: {
  processes: SessionProcess[];
  onOpen: (process: SessionProcess) => void;
}) {
  const siblings = processes.filter(isSibling);
  return (
    <>
      <ProcessList label="MCP servers and agent">
        {processes
          .filter((process) => !isSibling(process))
          .map((process) => (
            <ProcessRow key={`${process.kind}/${process.name}`} process={process} onOpen={onOpen} />
          ))}
      </ProcessList>
      {siblings.length === 0 ? null : (
        <>
          <Title order={3} size="h6" mt="sm" mb="xs">
            Runs beside it
          </Title>
          <ProcessList label="Runs beside it">
            {siblings.map((process) => (
              <ProcessRow key={process.name} process={process} onOpen={onOpen} />
            ))}
          </ProcessList>
        </>
      )}
    </>
  );
}

const ProcessList = ({ label, children }: { label: string; children: ReactNode }) => (
  <Stack gap="xs" component="ul" m={0} p={0} aria-label={label}>
    {children}
  </Stack>
);

function ProcessRow({
  process,
  onOpen,
}: {
  process: SessionProcess;
  onOpen: (process: SessionProcess) => void;
}) {
  const { isAdmin } = useWorkspace();
  const facts = processFacts(process);
  return (
    <Stack component="li" gap={2} style={{ listStyle: 'none' }}>
      <Group gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {process.kind === 'agent' ? 'Agent' : process.name}
        </Text>
        <Pill tone={processStateTone(process)}>{processStateWord(process)}</Pill>
        {isAdmin && process.output_size_bytes !== null ? (
          <Button size="compact-xs" variant="default" onClick={() => onOpen(process)}>
            Output
          </Button>
        ) : null}
      </Group>
      {facts === '' ? null : (
        <Text size="xs" c="dimmed">
          {facts}
        </Text>
      )}
      {faultTexts(process).map((text) => (
        <Text key={text} size="xs" c="var(--gp-wait)">
          {text}
        </Text>
      ))}
    </Stack>
  );
}

export function ServerAlert({ sessionId }: { sessionId: string }) {
  const { slug } = useWorkspace();
  const { data } = useProcesses(sessionId);
  const failed = (data?.processes ?? []).flatMap(({ kind, name, cause }) =>
    kind !== 'server' || cause === null ? [] : [{ name, cause }],
  );
  return failed.length === 0 ? null : (
    <Banner
      tone="fail"
      role="status"
      title={failed.length === 1 ? 'An MCP server is not working' : 'MCP servers are not working'}
    >
      <List size="sm" listStyleType="none" spacing="xs">
        {failed.map(({ name, cause }) => (
          <List.Item key={name}>
            <Text size="sm" fw={600}>
              <VisibleText text={failureText(name, cause)} />
            </Text>
            <Text size="sm">{remedyByCause[cause]}</Text>
            <Button component={Link} href={pathOf(slug, 'catalog', name)} variant="default" size="compact-xs">
              View {name} in the catalog
            </Button>
          </List.Item>
        ))}
      </List>
    </Banner>
  );
}
