/** Says which remote servers a session waits for its operator to sign in to, and leads the operator there. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session, SessionAuthorization } from '../../api/types.ts';
import { authorizationOf } from '../../app/paths.ts';
import { useMe } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { CodeText } from '../../components/code-text.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { hasEnded } from './status-text.ts';

export function SignInNotice({ session }: { session: Session }) {
  const isOperator = useMe().user.id === session.operator?.id;
  const authorizations = useAuthorizations(session);
  return authorizations.length === 0 ? null : (
    <Banner tone="wait" role="status">
      <Stack gap="xs">
        {authorizations.map((authorization) => (
          <Waiting
            key={authorization.id}
            session={session}
            authorization={authorization}
            isOperator={isOperator}
          />
        ))}
      </Stack>
    </Banner>
  );
}

function Waiting({
  session: { agent, operator },
  authorization: { id, mcp_server: server, missing_scopes: missing },
  isOperator,
}: {
  session: Session;
  authorization: SessionAuthorization;
  isOperator: boolean;
}) {
  const who = isOperator ? 'you' : <VisibleText text={operator?.name ?? 'somebody'} />;
  return (
    <Group gap="xs" justify="space-between">
      <Text fw={600} component="div" lineClamp={2}>
        <VisibleText text={agent.name} />{' '}
        {missing === null ? (
          <>
            waits until {who} {isOperator ? 'sign' : 'signs'} in to {server}.
          </>
        ) : (
          <>
            asks for more at {server} than {who} allowed: <CodeText text={missing.join(' ')} />
          </>
        )}
      </Text>
      {isOperator ? (
        <Button component={Link} href={authorizationOf(id)} size="xs">
          Sign in to {server}
        </Button>
      ) : null}
    </Group>
  );
}

/** Those that the session waits for now; its events tell when to read them again. */
function useAuthorizations({ id, status }: Session): SessionAuthorization[] {
  const { data } = useQuery({
    queryKey: keys.session(id, 'authorizations'),
    queryFn({ signal }) {
      const params = { path: { session_id: id } };
      return call(api.GET('/api/sessions/{session_id}/authorizations', { params, signal }));
    },
    enabled: !hasEnded(status),
  });
  return hasEnded(status) ? [] : (data?.authorizations ?? []);
}
