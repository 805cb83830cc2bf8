/** The platform's own facts about a request: who asks, on whose behalf, and what it would open. */
import { Box, Code, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { choiceLabel, type GrantScope } from './choices.ts';

/** All facts at once, of a request that is closed or that another person decides. */
export function RequestFacts({ request }: { request: PermissionRequest }) {
  return (
    <FactList label="Request details">
      <OpensFacts request={request} />
      <OriginFacts request={request} />
    </FactList>
  );
}

/** What an approval would open. `chosen` is how far it would go; null where nothing is on offer. */
export function WhatItOpens({ request, chosen }: { request: PermissionRequest; chosen: GrantScope | null }) {
  return (
    <FactList label="What it allows">
      <OpensFacts request={request} />
      {chosen === null ? null : <OnceOpens request={request} chosen={chosen} />}
    </FactList>
  );
}

/** Who asks, on whose behalf, and when. */
export function WhoAsks({ request }: { request: PermissionRequest }) {
  return (
    <FactList label="Requested by">
      <OriginFacts request={request} />
    </FactList>
  );
}

function OpensFacts({ request }: { request: PermissionRequest }) {
  const { refused_call: refused } = request;
  return (
    <>
      <Fact name="Allows">
        <Opens request={request} />
      </Fact>
      {refused === null ? null : (
        <Fact name="Refused call">
          <Capped label="Refused call" isLong={refused.tool.length > longName}>
            <Code>
              <VisibleText text={`${refused.server}.${refused.tool}`} />
            </Code>
          </Capped>
        </Fact>
      )}
    </>
  );
}

function OriginFacts({ request }: { request: PermissionRequest }) {
  const { slug } = useWorkspace();
  const { agent, operator, root_operator: root, session_id: sessionId } = request;
  return (
    <>
      <Fact name="Agent">
        <VisibleText text={agent.name} />
      </Fact>
      <Fact name="Session">
        <TextLink to={pathOf(slug, 'sessions', sessionId)}>{sessionId.slice(0, 8)}</TextLink>
      </Fact>
      <Fact name="Operator">
        <Driver operator={operator} root={root} />
      </Fact>
      <Fact name="Requested duration">{choiceLabel[request.scope]}</Fact>
      <Fact name="Requested">
        <RelativeTime at={request.created_at} />
        {request.status === 'open' ? (
          <>
            {', expires '}
            <RelativeTime at={request.expires_at} />
          </>
        ) : null}
      </Fact>
    </>
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
    'None: not started by a person'
  ) : (
    <>
      None directly: started from a session of <VisibleText text={root.name} />
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
    <Fact name="Once">One call of the refused tool only.</Fact>
  );
}

/** Longer content scrolls in place, so that the choice below it stays in sight. */
const toolsWithoutScrolling = 2;
const longName = 40;

function Capped({ label, isLong, children }: { label: string; isLong: boolean; children: ReactNode }) {
  return isLong ? (
    <Box className="capped" role="group" {...{ tabIndex: 0, 'aria-label': label }}>
      {children}
    </Box>
  ) : (
    children
  );
}

function Opens({
  request: { grant_type: type, details, child_agent: child, tools, more_tools: moreTools },
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
  const scope = String(details['scope']);
  const hasLongNames = tools.some(({ tool }) => tool.length > longName);
  return (
    <Stack gap={4}>
      <Capped label="Scope" isLong={scope.length > longName}>
        <Code fz="sm">
          <VisibleText text={scope} />
        </Code>
      </Capped>
      <Text size="sm">
        {tools.length === 0 ? 'No tool in this session needs this scope.' : 'Tools in this session:'}
      </Text>
      {tools.length === 0 ? null : (
        <Capped label="Tools" isLong={tools.length > toolsWithoutScrolling || hasLongNames}>
          <List size="sm">
            {tools.map(({ server, tool }) => (
              <List.Item key={`${server} ${tool}`}>
                <Code>
                  <VisibleText text={tool} />
                </Code>{' '}
                of <VisibleText text={server} />
              </List.Item>
            ))}
            {moreTools === 0 ? null : <List.Item>and {moreTools} more</List.Item>}
          </List>
        </Capped>
      )}
    </Stack>
  );
}
