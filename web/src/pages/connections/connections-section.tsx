import { Box } from '@mantine/core';
import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { AuthorizationPage } from './authorization-page.tsx';
import { ConnectionsPage } from './connections-page.tsx';
import { PasskeysPage } from './passkeys-page.tsx';
import { UnknownAnswerPage } from './unknown-answer-page.tsx';

/** Pages about a person's own connections to remote servers, in whichever workspace, and their passkeys. */
export default function ConnectionsSection() {
  return (
    <Box component="main" maw={960} mx="auto" p="md">
      <Switch>
        <Route path="/_/connections">
          <ConnectionsPage />
        </Route>
        <Route path="/_/passkeys">
          <PasskeysPage />
        </Route>
        <Route path="/_/authorizations/unknown">
          <UnknownAnswerPage />
        </Route>
        <Route path="/_/authorizations/:id">{({ id }) => <AuthorizationPage key={id} id={id} />}</Route>
        <Route>
          <NotFoundState what="This page" />
        </Route>
      </Switch>
    </Box>
  );
}
