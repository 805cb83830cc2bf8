/** Servers whose tools are no longer what was accepted: an admin decides on them, entry by entry. */
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ChangedServer } from '../../api/types.ts';
import { useChangedServers } from '../../api/use-all.ts';
import { toolsPathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { waitingText } from '../../text/tool-change-text.ts';

/** The requests below wait for an answer and expire. */
const shownAtFirst = 3;

/** Nothing while nothing waits. */
export function ChangedServers() {
  const { slug } = useWorkspace();
  const query = useChangedServers(slug);
  const [isWhole, setWhole] = useState(false);
  if (query.error === null && (query.data ?? []).length === 0) {
    return null;
  }
  return (
    <Card withBorder padding="sm" component="section" aria-label="Tools that changed">
      <Title order={2} size="h5" mb="xs">
        Tools that changed
      </Title>
      <QueryState query={query} what="What changed">
        {(servers) => (
          <>
            <Stack gap="xs" component="ul" m={0} p={0} aria-label="Servers with changed tools">
              {servers.slice(0, isWhole ? servers.length : shownAtFirst).map((server) => (
                <ServerRow key={server.id} server={server} />
              ))}
            </Stack>
            {isWhole || servers.length <= shownAtFirst ? null : (
              <Button mt="xs" size="compact-sm" variant="default" onClick={() => setWhole(true)}>
                Show all {servers.length} servers
              </Button>
            )}
          </>
        )}
      </QueryState>
    </Card>
  );
}

function ServerRow({ server: { name, version, waiting, first_seen_at: at } }: { server: ChangedServer }) {
  const { slug } = useWorkspace();
  return (
    <Group component="li" justify="space-between" gap="sm" style={{ listStyle: 'none' }}>
      <Text size="sm" component="div" miw={0} flex="1 1 14rem">
        <strong>{name}</strong>: {waitingText(waiting)}, first seen <RelativeTime at={at} />
      </Text>
      <Button
        component={Link}
        href={toolsPathOf(slug, name, version)}
        size="xs"
        variant="default"
        aria-label={`Review the tools of ${name}`}
      >
        Review
      </Button>
    </Group>
  );
}
