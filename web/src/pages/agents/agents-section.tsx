import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { AgentPage } from './agent-page.tsx';
import { AgentsPage } from './agents-page.tsx';
import { AttachPage } from './attach-page.tsx';
import { EditAgentPage } from './edit-agent-page.tsx';
import { NewAgentPage } from './new-agent-page.tsx';

/** Pages below `/{slug}/agents`. */
export default function AgentsSection() {
  return (
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
  );
}
