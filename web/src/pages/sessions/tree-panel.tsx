import { Button, Card, Group, Text, Title } from '@mantine/core';
import type { Session } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { SessionLabel } from '../../components/session-chain.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { SessionStatus } from './session-status.tsx';
import { awaitedPerson, type SessionNode, sessionTree } from './session-tree.ts';
import { stateOf } from './status-text.ts';
import type { SessionTree } from './use-session-tree.ts';

/** All sessions of the tree, from its root to its leaves. Nothing for a session on its own. */
export function TreePanel({ currentId, tree }: { currentId: string; tree: SessionTree }) {
  const { top, below } = tree;
  return top === undefined || below.length === 0 ? null : (
    <Card withBorder padding="sm" component="section" aria-label="Sessions of this tree">
      <Title order={2} size="h5" mb="xs">
        Sessions of this tree
      </Title>
      <Nodes nodes={[{ session: top, children: sessionTree(top.id, below) }]} currentId={currentId} />
      {tree.hasMore ? (
        <Button mt="xs" size="xs" variant="default" onClick={tree.loadMore} loading={tree.isLoadingMore}>
          Load more
        </Button>
      ) : null}
    </Card>
  );
}

function Nodes({ nodes, currentId }: { nodes: SessionNode[]; currentId: string }) {
  return (
    <ul className="session-tree">
      {nodes.map(({ session, children }) => (
        <li key={session.id}>
          <Row session={session} isCurrent={session.id === currentId} />
          {children.length === 0 ? null : <Nodes nodes={children} currentId={currentId} />}
        </li>
      ))}
    </ul>
  );
}

function Row({ session, isCurrent }: { session: Session; isCurrent: boolean }) {
  const { slug } = useWorkspace();
  const awaited = awaitedPerson(session, useMe().user.id);
  const name = <VisibleText text={session.agent.name} />;
  return (
    <Group
      gap="xs"
      className={isCurrent ? 'current-session' : undefined}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span>
        {isCurrent ? <b>{name}</b> : <TextLink to={pathOf(slug, 'sessions', session.id)}>{name}</TextLink>}
        <SessionLabel label={session.label} />
      </span>
      <SessionStatus status={stateOf(session)} />
      {awaited === null ? null : (
        <Text span size="xs" c="dimmed">
          waits for <VisibleText text={awaited} />
        </Text>
      )}
    </Group>
  );
}
