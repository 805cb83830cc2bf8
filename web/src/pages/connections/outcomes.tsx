/** A sign-in that is over, or cannot be begun here or now: why, and the way on. */
import { Anchor, Button, Group, Text } from '@mantine/core';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import type { Authorization } from '../../api/types.ts';
import { authorizationOf, connections, pathOf } from '../../app/paths.ts';
import { Banner } from '../../components/banner.tsx';
import { CodeText } from '../../components/code-text.tsx';

/** Long enough to read what happened. */
const returnAfterMs = 3_000;

/** Goes back to the session by itself. */
export function SignedIn({ authorization }: { authorization: Authorization }) {
  const { session, workspace, mcp_server: server } = authorization;
  const [, navigate] = useLocation();
  const back = session === null ? null : pathOf(workspace.slug, 'sessions', session.id);
  useEffect(() => {
    if (back === null) {
      return;
    }
    const timer = setTimeout(() => navigate(back, { replace: true }), returnAfterMs);
    return () => clearTimeout(timer);
  }, [back, navigate]);
  return (
    <Banner tone="ok" role="status" title={`You are signed in to ${server}`}>
      <Text size="sm" mb="xs">
        {back === null
          ? 'Sessions that you start can use it from now on.'
          : 'The session goes on by itself. You are taken back to it in a moment.'}
      </Text>
      <WaysOn authorization={authorization} />
    </Banner>
  );
}

export function Over({
  kind,
  authorization,
}: {
  kind: 'expired' | 'cancelled';
  authorization: Authorization;
}) {
  const ofSession = authorization.session !== null;
  return (
    <Banner
      tone="wait"
      role="status"
      title={
        kind === 'expired' ? 'The time for this sign-in is over' : 'Nothing waits for this sign-in any more'
      }
    >
      <Text size="sm" mb="xs">
        {kind === 'cancelled'
          ? 'Its session has ended, or its catalog entry is another server by now. Begin again if you still need it.'
          : ofSession
            ? 'If the session still runs, its agent can repeat the call, and you are asked again. Otherwise start the session again.'
            : 'Connect again on the server’s page.'}
      </Text>
      <WaysOn authorization={authorization} />
    </Banner>
  );
}

export function Unusable({
  authorization,
  lookAgain,
}: {
  authorization: Authorization;
  lookAgain: () => void;
}) {
  return (
    <Banner tone="wait" role="status" title={`Nobody can sign in to ${authorization.mcp_server} now`}>
      <Text size="sm" mb="xs">
        Its catalog entry is being registered again, or its registration failed. Its page says which, and what
        an admin can do; look here again after that.
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={lookAgain}>
          Look again
        </Button>
        <EntryLink authorization={authorization} />
      </Group>
    </Banner>
  );
}

/**
 * The same page at the address that the authorization server sends people back to; this browser
 * has another cookie there.
 */
export function Elsewhere({ origin, id }: { origin: string; id: string }) {
  const address = `${origin}/app${authorizationOf(id)}`;
  return (
    <Banner tone="wait" role="note" title="You opened the platform at another address">
      <Text size="sm">
        The server sends people back to <CodeText text={origin} /> only, so begin there; you may have to sign
        in to the platform once more. If that address does not work any more, an admin has to discover the
        entry again, on its page.
      </Text>
      <Anchor href={address} underline="always" size="sm" className="text-block">
        Open this page at {origin}
      </Anchor>
    </Banner>
  );
}

export function WaysOn({ authorization }: { authorization: Authorization }) {
  const { session, workspace } = authorization;
  return (
    <Group gap="xs">
      {session === null ? (
        <EntryLink authorization={authorization} />
      ) : (
        <Button component={Link} href={pathOf(workspace.slug, 'sessions', session.id)} size="xs">
          Go to the session
        </Button>
      )}
      <Button component={Link} href={connections} size="xs" variant="default">
        Your connections
      </Button>
    </Group>
  );
}

const EntryLink = ({
  authorization: { workspace, mcp_server: server },
}: {
  authorization: Authorization;
}) => (
  <Button component={Link} href={pathOf(workspace.slug, 'catalog', server)} size="xs" variant="default">
    View the server {server}
  </Button>
);
