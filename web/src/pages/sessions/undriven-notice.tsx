import { Card, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Session } from '../../api/types.ts';
import { useMe } from '../../app/signed-in.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/**
 * In the place of the message field of a session that an agent or a schedule started: why there is none,
 * and who decides instead.
 */
export function UndrivenNotice({ session }: { session: Session }) {
  const { operator, parent_agent: parent, root_operator: root } = session;
  return operator !== null ? null : (
    <Card withBorder padding="sm" component="section" aria-label="Who is behind this session">
      <Text size="sm">
        {parent === null ? (
          'No person is behind this session, and it takes no messages.'
        ) : (
          <>
            No person is behind this session: the agent <VisibleText text={parent.name} /> started it, and
            only that agent sends it messages.
          </>
        )}{' '}
        <Deciders root={root} />
      </Text>
    </Card>
  );
}

function Deciders({ root }: { root: Session['root_operator'] }): ReactNode {
  const { user } = useMe();
  if (root === null) {
    return 'Its permission requests are decided by a workspace admin or the owner of its agent.';
  }
  return root.id === user.id ? (
    'Its permission requests come to you, here and on the pages of the sessions above.'
  ) : (
    <>
      Its permission requests go to <VisibleText text={root.name} />, who started the first session; workspace
      admins and the owner of its agent may decide them, too.
    </>
  );
}
