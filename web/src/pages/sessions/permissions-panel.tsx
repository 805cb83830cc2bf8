/** What the session was allowed: what its agent asked for, and the grants that its calls passed by. */
import { Card, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { PermissionRequest, ToolCall } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Status } from '../../components/pill.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { statusLabel, statusTone, subjectOf } from '../approvals/request-text.ts';

const mostRequests = 200;

/** Of the session and of those below it, as far as the person may see them. */
export function useTreeRequests(sessionId: string) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.permissionRequests(slug, 'of-tree', sessionId),
    queryFn: ({ signal }) => {
      const params = { path: { slug }, query: { tree: sessionId, limit: mostRequests } };
      return call(api.GET('/api/workspaces/{slug}/permission-requests', { params, signal }));
    },
  });
}

/** `calls`: those that were read so far. Nothing where nothing was asked and no grant was used. */
export function PermissionsPanel({ sessionId, calls }: { sessionId: string; calls: readonly ToolCall[] }) {
  const { data } = useTreeRequests(sessionId);
  const asked = (data?.permission_requests ?? []).filter(({ session_id: of }) => of === sessionId);
  const granted = new Set(asked.map(({ grant_id: id }) => id));
  const standing = toolsByGrant(calls.filter(({ granted_via: id }) => !granted.has(id)));
  return asked.length === 0 && standing.size === 0 ? null : (
    <Card withBorder padding="sm" component="section" aria-label="Permissions in this session">
      <Title order={2} size="h5" mb="xs">
        Permissions in this session
      </Title>
      <Stack gap={6} component="ul" m={0} p={0} className="permissions">
        {asked.map((request) => (
          <Asked key={request.id} request={request} />
        ))}
        {[...standing].map(([grantId, tools]) => (
          <Standing key={grantId} grantId={grantId} tools={[...tools]} />
        ))}
      </Stack>
    </Card>
  );
}

/** The tools whose calls passed by each grant, by its id. */
function toolsByGrant(calls: readonly ToolCall[]): ReadonlyMap<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { granted_via: id, server, tool } of calls) {
    if (id !== null) {
      found.set(id, (found.get(id) ?? new Set()).add(`${server}.${tool}`));
    }
  }
  return found;
}

/** It leads to the grant that was made, else to the request. */
function Asked({ request }: { request: PermissionRequest }) {
  const { slug } = useWorkspace();
  const { id, grant_id: grantId, status } = request;
  return (
    <li>
      <TextLink to={grantId === null ? pathOf(slug, 'approvals', id) : pathOf(slug, 'grants', grantId)}>
        <VisibleText text={subjectOf(request).name} />
      </TextLink>
      <Status tone={statusTone[status]}>{statusLabel[status]}</Status>
    </li>
  );
}

const shownTools = 3;

function Standing({ grantId, tools }: { grantId: string; tools: readonly string[] }) {
  const { slug } = useWorkspace();
  const more = tools.length - shownTools;
  return (
    <li>
      <TextLink to={pathOf(slug, 'grants', grantId)}>
        <VisibleText text={tools.slice(0, shownTools).join(', ')} />
        {more > 0 ? ` and ${more} more` : null}
      </TextLink>
      <Text span size="xs" c="dimmed">
        by an earlier grant
      </Text>
    </li>
  );
}
