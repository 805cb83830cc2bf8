import { Stack, Text, Title } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Grant } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ListState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/** Each call that passed on the grant. Members see those of sessions that they may read. */
export function GrantUses({ grant }: { grant: Grant }) {
  const { slug, isAdmin } = useWorkspace();
  const list = useList({
    queryKey: keys.grants(slug, 'uses', grant.id),
    async fetchPage({ cursor, signal }) {
      const params = {
        path: { slug, grant_id: grant.id },
        query: cursor === undefined ? {} : { cursor },
      };
      const page = await call(api.GET('/api/workspaces/{slug}/grants/{grant_id}/uses', { params, signal }));
      return { items: page.uses, next_cursor: page.next_cursor };
    },
  });
  const none = isAdmin ? 'Not used yet.' : 'Not used in sessions that you can see.';
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Uses
      </Title>
      <ListState list={list} what="The list of uses" empty={<Text c="dimmed">{none}</Text>}>
        {(uses) => (
          <DataTable label="Uses" columns={['When', 'Call', 'Session']}>
            {uses.map(({ call_id: id, at, server, tool, session_id: sessionId }) => (
              <tr key={id}>
                <td>
                  <RelativeTime at={at} />
                </td>
                <td>
                  {server === null || tool === null ? (
                    'A session started with the secret'
                  ) : (
                    <VisibleText text={`${server}.${tool}`} />
                  )}
                </td>
                <td>
                  <TextLink to={pathOf(slug, 'sessions', sessionId)}>{sessionId.slice(0, 8)}</TextLink>
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </ListState>
    </Stack>
  );
}
