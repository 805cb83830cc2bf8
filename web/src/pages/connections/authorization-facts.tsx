import { Card, Group, Text } from '@mantine/core';
import type { Authorization } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { CodeText } from '../../components/code-text.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { Pill } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { PartiesFacts } from '../catalog/registration/parties-facts.tsx';
import { markedScopes } from './authorization-text.ts';

/** What the person agrees to, in full. What the server named is shown as the text that it is. */
export function AuthorizationFacts({
  authorization,
  isPending,
}: {
  authorization: Authorization;
  isPending: boolean;
}) {
  const { workspace, mcp_server: server, parties } = authorization;
  return (
    <Card withBorder component="section" aria-label="About this sign-in">
      <FactList label="Details of the sign-in">
        <Fact name="Workspace">
          <VisibleText text={workspace.name} />
        </Fact>
        <Fact name="Server">
          <TextLink to={pathOf(workspace.slug, 'catalog', server)}>{server}</TextLink>
        </Fact>
        {parties === null ? null : <PartiesFacts parties={parties} />}
        <ScopesFact authorization={authorization} isPending={isPending} />
        {isPending ? (
          <Fact name="Time runs out">
            <RelativeTime at={authorization.expires_at} />
          </Fact>
        ) : null}
      </FactList>
    </Card>
  );
}

function ScopesFact({ authorization, isPending }: { authorization: Authorization; isPending: boolean }) {
  const scopes = markedScopes(authorization);
  return (
    <Fact name="Scopes">
      {scopes.length === 0 ? (
        'none are named: the server says on its page what you allow'
      ) : (
        <Group gap="xs">
          {scopes.map(({ scope, isNew }) => (
            <span key={scope}>
              <CodeText text={scope} />
              {isNew ? <Pill tone="wait">new</Pill> : null}
            </span>
          ))}
        </Group>
      )}
      {authorization.missing_scopes === null || !isPending ? null : (
        <Text size="sm" c="dimmed" mt={4}>
          A call of the agent needs what is marked as new. If that is too much, leave this page: the call
          stays refused, and the agent is told so each time.
        </Text>
      )}
    </Fact>
  );
}
