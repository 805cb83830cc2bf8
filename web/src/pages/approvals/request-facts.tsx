/** What the platform itself knows of a request: who asks, on whose behalf, and what it would open. */
import { Badge, Code, Group, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { scopeLabel } from './choices.ts';

export function RequestFacts({ request }: { request: PermissionRequest }) {
  const { slug } = useWorkspace();
  const { agent, operator, root_operator: root, session_id: sessionId } = request;
  return (
    <FactList label="What the platform knows of this request">
      <Fact name="Agent">
        <VisibleText text={agent.name} />
      </Fact>
      <Fact name="Session">
        <TextLink to={pathOf(slug, 'sessions', sessionId)}>{sessionId.slice(0, 8)}</TextLink>
      </Fact>
      <Fact name="Driven by">
        <Driver operator={operator} root={root} />
      </Fact>
      <Fact name="Opens">
        <Opens request={request} />
      </Fact>
      {request.refused_call === null ? null : (
        <Fact name="Refused call">
          <Code>
            <VisibleText text={`${request.refused_call.server}.${request.refused_call.tool}`} />
          </Code>
        </Fact>
      )}
      <Fact name="Asked for">{scopeLabel[request.scope]}</Fact>
      <Fact name="Asked">
        <RelativeTime at={request.created_at} />
        {request.status === 'open' ? (
          <>
            {', expires '}
            <RelativeTime at={request.expires_at} />
          </>
        ) : null}
      </Fact>
    </FactList>
  );
}

function Driver({
  operator,
  root,
}: {
  operator: PermissionRequest['operator'];
  root: PermissionRequest['operator'];
}): ReactNode {
  if (operator !== null) {
    return <VisibleText text={operator.name} />;
  }
  return root === null ? (
    'Nobody: it was not started by a person'
  ) : (
    <>
      Nobody directly; it was started below a session of <VisibleText text={root.name} />
    </>
  );
}

function Opens({
  request: { grant_type: type, details, child_agent: child, tools },
}: {
  request: PermissionRequest;
}) {
  if (type === 'spawn') {
    return (
      <>
        Starting sessions of the agent{' '}
        <Text span fw={600}>
          <VisibleText text={child?.name ?? String(details['child_agent_id'])} />
        </Text>
      </>
    );
  }
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Badge variant="light" tt="none" size="lg">
          {String(details['scope'])}
        </Badge>
        <Text size="sm">
          {tools.length === 0 ? 'No tool of this session is under this scope.' : 'In this session that is:'}
        </Text>
      </Group>
      {tools.length === 0 ? null : (
        <List size="sm" mah={160} style={{ overflow: 'auto' }}>
          {tools.map(({ server, tool }) => (
            <List.Item key={`${server} ${tool}`}>
              <Code>
                <VisibleText text={tool} />
              </Code>{' '}
              of <VisibleText text={server} />
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}
