import { Button, Card, Group, Title } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { SessionStatus } from './session-status.tsx';
import { type SessionNode, sessionTree } from './session-tree.ts';
import { stateOf } from './status-text.ts';

/** The sessions that this one started, and those below them. Nothing where there are none. */
export function ChildrenPanel({ session }: { session: Session }) {
  const list = useList<Session>({
    queryKey: keys.session(session.id, 'children'),
    async fetchPage({ cursor, signal }) {
      const query = cursor === undefined ? {} : { cursor };
      const params = { path: { session_id: session.id }, query };
      const page = await call(api.GET('/api/sessions/{session_id}/children', { params, signal }));
      return { items: page.sessions, next_cursor: page.next_cursor };
    },
  });
  return list.items === undefined || list.items.length === 0 ? null : (
    <Card withBorder padding="sm" component="section" aria-label="Child sessions">
      <Title order={2} size="h5" mb="xs">
        Child sessions
      </Title>
      <Tree nodes={sessionTree(session.id, list.items)} />
      {list.hasMore ? (
        <Button size="xs" variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
          Load more
        </Button>
      ) : null}
    </Card>
  );
}

function Tree({ nodes }: { nodes: SessionNode[] }) {
  const { slug } = useWorkspace();
  return (
    <ul className="session-tree">
      {nodes.map(({ session, children }) => (
        <li key={session.id}>
          <Group gap="xs">
            <TextLink to={pathOf(slug, 'sessions', session.id)}>
              <VisibleText text={session.agent.name} />
            </TextLink>
            <SessionStatus status={stateOf(session)} />
          </Group>
          {children.length === 0 ? null : <Tree nodes={children} />}
        </li>
      ))}
    </ul>
  );
}
