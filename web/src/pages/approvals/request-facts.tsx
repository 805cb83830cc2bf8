/**
 * The platform's own facts about a request: who asks, on whose behalf, what it would open, and the call
 * that was refused before.
 */
import { Box, Code, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { useMe } from '../../app/signed-in.tsx';
import { Capped } from '../../components/capped.tsx';
import { CodeText } from '../../components/code-text.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { RecordedCall } from './call/refused-call.tsx';
import { ChildFactsToRead } from './child-facts.tsx';
import { choiceLabel } from './choices.ts';
import { begunName } from './request-text.ts';
import { SessionLink } from './session-link.tsx';

/**
 * All that is known of a request that is closed or that another person decides: the facts, and apart from
 * them what the agent claims.
 */
export function RequestFacts({ request }: { request: PermissionRequest }) {
  return (
    <>
      <FactList label="Request details">
        <OpensFact request={request} />
        <OriginFacts request={request} />
      </FactList>
      {request.status === 'open' ? <ChildFactsToRead request={request} /> : null}
      <RecordedCall request={request} />
      {request.justification === null ? (
        <Text size="sm">What the agent says is shown to those who may read its session.</Text>
      ) : (
        <QuotedClaim by={request.agent.name} text={request.justification} />
      )}
    </>
  );
}

/** Who asks, on whose behalf, and when: one line below the heading. */
export function WhoAsks({ request }: { request: PermissionRequest }) {
  const { agent } = request;
  return (
    <Box className="request-facts" role="group" aria-label="Requested by">
      {begunName(agent.name) === agent.name ? null : (
        <span>
          <VisibleText text={agent.name} />
        </span>
      )}
      <span>
        in <SessionLink request={request} />
      </span>
      <span>
        <StartedBy request={request} />
      </span>
      <span>
        asked <RelativeTime at={request.created_at} />
      </span>
      {request.status === 'open' ? (
        <span>
          expires <RelativeTime at={request.expires_at} />
        </span>
      ) : null}
    </Box>
  );
}

/** "started by you", or by whom, or for whom an agent or a schedule did. */
export function StartedBy({
  request: { operator, root_operator: root },
}: {
  request: PermissionRequest;
}): ReactNode {
  const me = useMe();
  if (operator?.id === me.user.id) {
    return 'started by you';
  }
  if (operator !== null) {
    return (
      <>
        started by <VisibleText text={operator.name} />
      </>
    );
  }
  return root === null ? (
    'no person behind it'
  ) : (
    <>
      started for <VisibleText text={root.name} />
    </>
  );
}

const OpensFact = ({ request }: { request: PermissionRequest }) => (
  <Fact name="Allows">
    <Opens request={request} />
  </Fact>
);

function OriginFacts({ request }: { request: PermissionRequest }) {
  const { agent } = request;
  return (
    <>
      <Fact name="Agent">
        <VisibleText text={agent.name} />
      </Fact>
      <Fact name="Session">
        <SessionLink request={request} />, <StartedBy request={request} />
      </Fact>
      <Fact name="Asked for">{choiceLabel[request.scope]}</Fact>
      <Fact name="Asked">
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

/** Longer content scrolls in place: nobody decides by it here. */
const toolsWithoutScrolling = 2;
const longName = 40;

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
                <CodeText text={tool} /> of <VisibleText text={server} />
              </List.Item>
            ))}
            {moreTools === 0 ? null : <List.Item>and {moreTools} more</List.Item>}
          </List>
        </Capped>
      )}
    </Stack>
  );
}
