import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { Channel } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { ChannelForm } from './channel-form.tsx';
import { type ChannelValues, settingsOf, valuesOf } from './channel-values.ts';
import { useChannel } from './use-channels.ts';

export function EditChannelPage({ name }: { name: string }) {
  const { slug } = useWorkspace();
  return (
    <QueryState query={useChannel(slug, name)} what="The channel">
      {(channel) => <EditChannel channel={channel} />}
    </QueryState>
  );
}

function EditChannel({ channel }: { channel: Channel }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  // What the form began with: another person may save meanwhile.
  const [begun] = useState(channel);
  const { name } = begun;
  const page = pathOf(slug, 'channels', name);
  const save = useApiMutation({
    done: 'Channel saved',
    send: (values: ChannelValues) =>
      call(
        api.PUT('/api/workspaces/{slug}/channels/{name}', {
          params: { path: { slug, name } },
          body: settingsOf(values),
        }),
      ),
    invalidates: stale.channel(slug),
    onRefetched: () => navigate(page),
  });
  return (
    <PageFrame
      width="form"
      title={`Edit ${name}`}
      description="Messages that wait are judged by the new settings."
    >
      <ChannelForm
        initial={valuesOf(begun)}
        draftName={`channel ${name} ${begun.updated_at}`}
        nameIsFixed
        save={save}
        submitLabel="Save"
        onCancel={() => navigate(page)}
      />
    </PageFrame>
  );
}
