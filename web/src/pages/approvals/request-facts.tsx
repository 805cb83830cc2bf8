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
import { type GrantScope, scopeLabel } from './choices.ts';

/** `chosen` is how far the approval would go, where somebody is choosing. */
export function RequestFacts({
  request,
  chosen,
}: {
  request: PermissionRequest;
  chosen?: GrantScope | undefined;
}) {
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
        {chosen === undefined ? null : <OnceOpens request={request} chosen={chosen} />}
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

/** One call opens less than the scope does: the tool that was refused. */
function OnceOpens({
  request: { grant_type: type, refused_call: refused, tools },
  chosen,
}: {
  request: PermissionRequest;
  chosen: GrantScope;
}) {
  return type === 'spawn' || refused === null || chosen !== 'once' || tools.length < 2 ? null : (
    <Text size="sm" fw={600} mt={4}>
      “Once” opens only{' '}
      <Code>
        <VisibleText text={`${refused.server}.${refused.tool}`} />
      </Code>
      , for one call.
    </Text>
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
