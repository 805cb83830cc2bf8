/**
 * Tries an entry before an agent attaches it: what it is given, how it went, its tools, and which scope each
 * gets.
 */
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { McpServer } from '../../../api/types.ts';
import { changedServers } from '../../../api/use-all.ts';
import { pathOf } from '../../../app/paths.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { Banner } from '../../../components/banner.tsx';
import { FailureAlert } from '../../../components/failure-alert.tsx';
import { PageFrame } from '../../../components/page-frame.tsx';
import { QueryState } from '../../../components/query-state.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { UnavailableAlert } from '../../../components/unavailable.tsx';
import { ChangedTools } from '../entry-tools.tsx';
import { useEntry } from '../use-entry.ts';
import { CheckForm } from './check-form.tsx';
import { CheckResult, CheckSteps, OutputPart } from './check-result.tsx';
import { ClaimedTools } from './claimed-tools.tsx';
import { useCheck } from './use-check.ts';

export default function CheckPage({ name }: { name: string }) {
  const { slug } = useWorkspace();
  const query = useEntry(slug, name, 'always');
  return (
    <QueryState query={query} what="The MCP server">
      {(entry) => <Check entry={entry} isCurrent={query.isFetchedAfterMount} />}
    </QueryState>
  );
}

/** `isCurrent`: it was read for this page. An earlier copy may lack what another admin saved. */
function Check({ entry, isCurrent }: { entry: McpServer; isCurrent: boolean }) {
  const { slug } = useWorkspace();
  const { name, unavailable } = entry;
  const { start, check, cancel } = useCheck(slug, name);
  const found = check.data;
  const isRunning = found !== undefined && found.ended_at === null;
  return (
    <PageFrame
      title={`Check ${name}`}
      description="Starts the server once, as a session would, and lists its tools. No agent is involved, no tool is called, and nothing is left behind."
    >
      <TextLink to={pathOf(slug, 'catalog', name)}>Catalog entry</TextLink>
      {unavailable === null ? null : <UnavailableAlert reason={unavailable.reason} />}
      <CheckForm entry={entry} start={start} isRunning={isRunning} />
      {check.error === null ? null : <FailureAlert error={check.error} />}
      {isRunning ? (
        <Banner
          role="status"
          title={found.status === 'running' ? 'The server is running' : 'Starting the server'}
        >
          <Group justify="space-between">
            <Text size="sm">Its tools are listed, then it is stopped and removed.</Text>
            <Button
              variant="default"
              size="xs"
              loading={cancel.isPending}
              onClick={() => cancel.mutate(found.id)}
            >
              Cancel check
            </Button>
          </Group>
          <CheckSteps check={found} />
          <OutputPart check={found} />
          {cancel.error === null ? null : <FailureAlert error={cancel.error} />}
        </Banner>
      ) : null}
      {found === undefined || isRunning ? null : <CheckResult name={name} check={found} />}
      {found === undefined || isRunning ? null : (
        <ChangedSinceCheck key={`changed ${found.id}`} name={name} />
      )}
      {isCurrent && found?.listing?.outcome === 'listed' ? (
        <ClaimedTools key={found.id} entry={entry} check={found} listing={found.listing} />
      ) : null}
    </PageFrame>
  );
}

/** For a check that has ended: leads to what it listed and no admin has accepted. */
function ChangedSinceCheck({ name }: { name: string }) {
  // Whatever was read before the check ended is too old.
  useQuery({ ...changedServers(useWorkspace().slug), refetchOnMount: 'always' });
  return <ChangedTools name={name} />;
}
