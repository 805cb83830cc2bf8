import { Card, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { SystemState } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { Status } from '../../components/pill.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { sentence } from '../../components/unavailable.tsx';
import { ruledOut, sessionsText } from './system-text.ts';

const lookEveryMs = 15_000;

/** What runs, what cannot run here, why, and what to do about it; for admins. */
export function SystemPage() {
  const { slug } = useWorkspace();
  const query = useQuery({
    queryKey: keys.system(slug),
    queryFn: ({ signal }) =>
      call(api.GET('/api/workspaces/{slug}/system', { params: { path: { slug } }, signal })),
    refetchInterval: lookEveryMs,
  });
  return (
    <PageFrame
      title="System"
      description="What this platform runs on. It is the same for every workspace, and managed by those who run the platform."
    >
      <QueryState query={query} what="The state of the system">
        {({ system }) => <Parts system={system} />}
      </QueryState>
    </PageFrame>
  );
}

function Parts({ system }: { system: SystemState }) {
  const { runtime, database, temporal, workers, registries, availability } = system;
  const running = workers.filter((worker) => worker.is_running);
  return (
    <>
      <Part title="Components">
        <FactList label="Components">
          <Fact name="API">
            <Working works text="reachable" />
          </Fact>
          <Fact name="Postgres">
            <Working works text={`reachable, version ${database.version}`} />
          </Fact>
          <Fact name="Temporal">
            <Working
              works={temporal.is_reachable}
              text={
                temporal.is_reachable
                  ? 'reachable'
                  : 'unreachable: no session can start and no decision can be made'
              }
            />
          </Fact>
          <Fact name="Workers">
            <Working
              works={running.length > 0}
              text={
                running.length > 0
                  ? `${running.length} running`
                  : 'none has reported within the last minute: no session can start until one runs'
              }
            />
          </Fact>
          <Fact name="Sessions run as">{sessionsText(runtime, running)}</Fact>
          <Fact name="Registries">
            {registries.private_count === 0
              ? 'public only'
              : `public, and ${registries.private_count} private`}
          </Fact>
        </FactList>
      </Part>
      <Part title="Workers">
        <Workers workers={workers} />
      </Part>
      <Part title="Not available here">
        <RuledOutList items={ruledOut(availability)} />
      </Part>
    </>
  );
}

function Working({ works, text }: { works: boolean; text: string }) {
  return (
    <>
      <Status tone={works ? 'ok' : 'fail'}>{works ? 'OK' : 'Down'}</Status> {text}
    </>
  );
}

function Workers({ workers }: { workers: SystemState['workers'] }) {
  return workers.length === 0 ? (
    <Text c="dimmed">No worker has reported within the last day.</Text>
  ) : (
    workers.map((worker) => <Worker key={worker.id} worker={worker} />)
  );
}

function Worker({ worker }: { worker: SystemState['workers'][number] }) {
  const { sandbox, internet, limits } = worker.capabilities;
  return (
    <FactList label="A worker">
      <Fact name="Last seen">
        <RelativeTime at={worker.seen_at} />
        {worker.is_running ? null : ': not running'}
      </Fact>
      <Fact name="Started">
        <RelativeTime at={worker.started_at} />
      </Fact>
      <Fact name="Sandbox">{sandbox ? 'on' : 'none'}</Fact>
      <Fact name="Internet">{internet ? 'available to sessions that use it' : 'not available'}</Fact>
      <Fact name="Limits">{limits.length === 0 ? 'set by the engine or cluster' : limits.join(' ')}</Fact>
    </FactList>
  );
}

function RuledOutList({ items }: { items: ReturnType<typeof ruledOut> }) {
  return items.length === 0 ? (
    <Text>Everything is available here.</Text>
  ) : (
    <List spacing="xs">
      {items.map(({ what, why }) => (
        <List.Item key={what}>
          <Text span inherit fw={600}>
            {what}.
          </Text>{' '}
          {sentence(why)}
        </List.Item>
      ))}
    </List>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  );
}
