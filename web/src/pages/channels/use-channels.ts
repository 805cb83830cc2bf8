/** Channels of a workspace and the messages to them; for admins. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { ChannelMessage, ListedChannel } from '../../api/types.ts';
import { fetchAll } from '../../api/use-all.ts';
import { useList } from '../../api/use-list.ts';
import { askWhileWaiting } from '../../text/delivery-text.ts';

export function useAllChannels(slug: string) {
  return useQuery({
    queryKey: keys.channels(slug, 'all'),
    queryFn: ({ signal }) =>
      fetchAll<ListedChannel>(async (query) => {
        const params = { path: { slug }, query };
        const page = await call(api.GET('/api/workspaces/{slug}/channels', { params, signal }));
        return { items: page.channels, next_cursor: page.next_cursor };
      }),
  });
}

export function useChannel(slug: string, name: string) {
  return useQuery({
    queryKey: keys.channels(slug, 'one', name),
    queryFn: async ({ signal }) => {
      const params = { path: { slug, name } };
      return (await call(api.GET('/api/workspaces/{slug}/channels/{name}', { params, signal }))).channel;
    },
  });
}

/** Newest first; of one channel, or of all. */
export function useChannelMessages(slug: string, channel: string | null) {
  return useList<ChannelMessage>({
    queryKey: keys.channelMessages(slug, channel),
    async fetchPage({ cursor, signal }) {
      const query = {
        ...(channel === null ? {} : { channel }),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const params = { path: { slug }, query };
      const page = await call(api.GET('/api/workspaces/{slug}/channel-messages', { params, signal }));
      return { items: page.messages, next_cursor: page.next_cursor };
    },
    refetchInterval: askWhileWaiting,
  });
}
