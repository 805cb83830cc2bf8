import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { loadPage } from '../../app/load-page.ts';
import { LoadingState, NotFoundState } from '../../components/state-views.tsx';
import { AgentsPage } from './agents-page.tsx';

// Each is loaded when it is opened: the forms bring the contract's schemas, an agent's page its grants.
const AgentPage = lazy(() => loadPage(() => import('./agent-page.tsx')));
const AttachPage = lazy(() => loadPage(() => import('./attach-page.tsx')));
const EditAgentPage = lazy(() => loadPage(() => import('./edit-agent-page.tsx')));
const NewAgentPage = lazy(() => loadPage(() => import('./new-agent-page.tsx')));

/** Pages below `/{slug}/agents`. */
export default function AgentsSection() {
  return (
    <Suspense fallback={<LoadingState />}>
      <Switch>
        <Route path="/:slug/agents">
          <AgentsPage />
        </Route>
        <Route path="/:slug/agents/new">
          <NewAgentPage />
        </Route>
        <Route path="/:slug/agents/:id">{({ id }) => <AgentPage key={id} id={id} />}</Route>
        <Route path="/:slug/agents/:id/edit">{({ id }) => <EditAgentPage key={id} id={id} />}</Route>
        <Route path="/:slug/agents/:id/servers/:name">
          {({ id, name }) => <AttachPage key={`${id} ${name}`} id={id} name={name} />}
        </Route>
        <Route>
          <NotFoundState what="This page" />
        </Route>
      </Switch>
    </Suspense>
  );
}
