import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import './home.css';
import { WorkspaceHomePage } from './workspace-home-page.tsx';

export default function HomeSection() {
  return (
    <Switch>
      <Route path="/:slug/home">
        <WorkspaceHomePage />
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
