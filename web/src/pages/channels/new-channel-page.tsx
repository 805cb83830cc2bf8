import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ChannelForm } from './channel-form.tsx';
import { type ChannelValues, inputOf, newChannel } from './channel-values.ts';

export function NewChannelPage() {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const save = useApiMutation({
    send: (values: ChannelValues) =>
      call(
        api.POST('/api/workspaces/{slug}/channels', { params: { path: { slug } }, body: inputOf(values) }),
      ),
    invalidates: stale.channel(slug),
    onRefetched: ({ channel }) => navigate(pathOf(slug, 'channels', channel.name)),
  });
  return (
    <PageFrame
      width="form"
      title="New channel"
      description="You can send a test message after you create it."
    >
      <ChannelForm
        initial={newChannel}
        draftName="new channel"
        nameIsFixed={false}
        save={save}
        submitLabel="Create channel"
        onCancel={() => navigate(pathOf(slug, 'channels'))}
      />
    </PageFrame>
  );
}
