import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { McpServer, McpServerHealth } from '../../api/types.ts';
import { useChangedServers } from '../../api/use-all.ts';
import { pathOf, toolsPathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Status } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type HealthWords, healthOf } from './health-text.ts';

function useHealth(slug: string) {
  return useQuery({
    queryKey: keys.mcpServers(slug, 'health'),
    queryFn: async ({ signal }) =>
      (
        await call(
          api.GET('/api/workspaces/{slug}/mcp-server-health', { params: { path: { slug } }, signal }),
        )
      ).mcp_server_health,
  });
}

/** Changed tools, failures in sessions, or the last check, whichever one has to know first. */
export function Health({ server }: { server: Pick<McpServer, 'id' | 'name' | 'version'> }) {
  const { slug, isAdmin } = useWorkspace();
  const changed = useChangedServers(slug).data?.find(({ id }) => id === server.id);
  const health = useHealth(slug).data?.find(({ id }) => id === server.id);
  if (health === undefined) {
    return null;
  }
  const words = healthOf(health, { changedTools: changed?.waiting ?? 0, version: server.version });
  const to = placeOf({ slug, isAdmin, server, health, words, changedVersion: changed?.version });
  const status = (
    <Status tone={words.tone} title={words.title ?? words.text}>
      {words.text}
    </Status>
  );
  return (
    <span className="health">
      {to === null ? status : <Link href={to}>{status}</Link>}
      {words.place === 'check' && health.last_check !== null ? (
        <Text span size="xs" c="dimmed">
          checked <RelativeTime at={health.last_check.created_at} />
        </Text>
      ) : null}
    </span>
  );
}

function placeOf({
  slug,
  isAdmin,
  server: { name },
  health,
  words: { place },
  changedVersion,
}: {
  slug: string;
  isAdmin: boolean;
  server: Pick<McpServer, 'name'>;
  health: McpServerHealth;
  words: HealthWords;
  changedVersion: number | undefined;
}): string | null {
  const failed = health.sessions.last_failed;
  if (place === 'tools') {
    return toolsPathOf(slug, name, changedVersion);
  }
  if (place === 'session' && failed !== null) {
    return pathOf(slug, 'sessions', failed.session_id);
  }
  const check = health.last_check;
  return place === 'check' && isAdmin && check !== null
    ? `${pathOf(slug, 'catalog', name, 'check')}?${new URLSearchParams({ check: check.id })}`
    : null;
}
