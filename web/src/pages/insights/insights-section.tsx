import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import './insights.css';
import { InsightsPage } from './insights-page.tsx';

export default function InsightsSection() {
  return (
    <Switch>
      <Route path="/:slug/insights">
        <InsightsPage />
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
