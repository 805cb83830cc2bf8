/**
 * The page on which a person signs in to a remote server: it says who asks, where, and for
 * what, before they leave.
 */
import { Text } from '@mantine/core';
import { ApiFailure } from '../../api/failure.ts';
import type { Authorization } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { NotFoundState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useExpired } from '../../components/use-expired.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { AuthorizationFacts } from './authorization-facts.tsx';
import { pageTitle, viewOf } from './authorization-text.ts';
import { BeginPart, LastProblem } from './begin-part.tsx';
import { Elsewhere, Over, SignedIn, Unusable } from './outcomes.tsx';
import { useAuthorization } from './use-authorization.ts';

export function AuthorizationPage({ id }: { id: string }) {
  const query = useAuthorization(id);
  if (query.error instanceof ApiFailure && query.error.status === 404) {
    return (
      <NotFoundState
        what="This sign-in"
        text="Only the person who has to sign in can open it, and it is gone when its server is removed. If the session is yours, open it and follow its link; you may also be signed in here as somebody else."
      />
    );
  }
  return (
    <QueryState query={query} what="This sign-in">
      {(authorization) => <Loaded authorization={authorization} lookAgain={() => void query.refetch()} />}
    </QueryState>
  );
}

function Loaded({ authorization, lookAgain }: { authorization: Authorization; lookAgain: () => void }) {
  const isExpired = useExpired(authorization.expires_at);
  const view = viewOf(authorization, { origin: window.location.origin, isExpired });
  return (
    <PageFrame title={pageTitle(authorization)} description={<Asker authorization={authorization} />}>
      {view.kind === 'connected' ? <SignedIn authorization={authorization} /> : null}
      {view.kind === 'expired' || view.kind === 'cancelled' ? (
        <Over kind={view.kind} authorization={authorization} />
      ) : null}
      {view.kind === 'unusable' ? <Unusable authorization={authorization} lookAgain={lookAgain} /> : null}
      {view.kind === 'elsewhere' ? <Elsewhere origin={view.origin} id={authorization.id} /> : null}
      {view.kind === 'ready' ? <LastProblem authorization={authorization} /> : null}
      <AuthorizationFacts
        authorization={authorization}
        isPending={authorization.status === 'pending' && !isExpired}
      />
      {view.kind === 'ready' ? <BeginPart authorization={authorization} host={view.host} /> : null}
    </PageFrame>
  );
}

/** Who asks for it, and why. */
function Asker({
  authorization: { session, workspace, missing_scopes: missing },
}: {
  authorization: Authorization;
}) {
  if (session === null) {
    return 'You connect to this server yourself; no session waits for it.';
  }
  return (
    <Text span inherit>
      Agent <VisibleText text={session.agent.name} /> in{' '}
      <TextLink to={pathOf(workspace.slug, 'sessions', session.id)}>
        session {session.id.slice(0, 8)}
      </TextLink>{' '}
      {missing === null
        ? 'uses this server, and acts there as you.'
        : 'called a tool of this server that needs more than you have allowed.'}
    </Text>
  );
}
