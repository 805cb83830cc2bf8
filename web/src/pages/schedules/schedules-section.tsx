import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { EditSchedulePage } from './edit-schedule-page.tsx';
import { NewSchedulePage } from './new-schedule-page.tsx';
import { SchedulePage } from './schedule-page.tsx';
import { SchedulesPage } from './schedules-page.tsx';

/** Pages below `/{slug}/schedules`. */
export default function SchedulesSection() {
  return (
    <Switch>
      <Route path="/:slug/schedules">
        <SchedulesPage />
      </Route>
      <Route path="/:slug/schedules/new">
        <NewSchedulePage />
      </Route>
      <Route path="/:slug/schedules/:id">{({ id }) => <SchedulePage key={id} id={id} />}</Route>
      <Route path="/:slug/schedules/:id/edit">{({ id }) => <EditSchedulePage key={id} id={id} />}</Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
