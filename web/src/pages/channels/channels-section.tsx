import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { ChannelPage } from './channel-page.tsx';
import { ChannelsPage } from './channels-page.tsx';
import { EditChannelPage } from './edit-channel-page.tsx';
import { NewChannelPage } from './new-channel-page.tsx';

/** Pages below `/{slug}/channels`; `_` is no channel's name. */
export default function ChannelsSection() {
  return (
    <Switch>
      <Route path="/:slug/channels">
        <ChannelsPage />
      </Route>
      <Route path="/:slug/channels/_/new">
        <NewChannelPage />
      </Route>
      <Route path="/:slug/channels/:name">{({ name }) => <ChannelPage key={name} name={name} />}</Route>
      <Route path="/:slug/channels/:name/edit">
        {({ name }) => <EditChannelPage key={name} name={name} />}
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
