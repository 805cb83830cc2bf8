import { Group, List, Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useList } from '../../api/use-list.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ListState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

interface Use {
  to: ['agents' | 'secrets', string];
  name: string;
  how: string;
}

/** Agents that attach the entry, and secrets that are restricted to it. */
export function EntryUses({ name }: { name: string }) {
  const { slug } = useWorkspace();
  const list = useList<Use>({
    queryKey: keys.mcpServers(slug, 'uses', name),
    async fetchPage({ cursor, signal }) {
      const query = cursor === undefined ? {} : { cursor };
      const params = { path: { slug, name }, query };
      const page = await call(api.GET('/api/workspaces/{slug}/mcp-servers/{name}/uses', { params, signal }));
      const agents = page.agents.map(
        (agent): Use => ({
          to: ['agents', agent.id],
          name: agent.name,
          how: 'agent',
        }),
      );
      const secrets = page.secrets.map(
        (secret): Use => ({
          to: ['secrets', secret],
          name: secret,
          how: 'secret, restricted to certain servers',
        }),
      );
      // Every page of the response includes the secrets.
      return {
        items: cursor === undefined ? [...secrets, ...agents] : agents,
        next_cursor: page.next_cursor,
      };
    },
  });
  return (
    <ListState list={list} what="Its uses" empty={<Text c="dimmed">No agent uses this server.</Text>}>
      {(uses) => (
        <List size="sm" spacing={4}>
          {uses.map(({ to, name: used, how }) => (
            <List.Item key={to.join('/')}>
              <Group gap={6}>
                <TextLink to={pathOf(slug, ...to)}>
                  <VisibleText text={used} />
                </TextLink>
                <Text size="sm" c="dimmed">
                  {how}
                </Text>
              </Group>
            </List.Item>
          ))}
        </List>
      )}
    </ListState>
  );
}
