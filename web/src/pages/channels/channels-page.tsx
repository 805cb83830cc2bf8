import { Button, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { ListedChannel } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { SearchList } from '../../components/search-list.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Deliveries } from './deliveries.tsx';
import { useAllChannels } from './use-channels.ts';

/** All channels, and what was posted to them last. */
export function ChannelsPage() {
  const { slug } = useWorkspace();
  const channels = useAllChannels(slug);
  const add = (
    <Button
      component={Link}
      href={pathOf(slug, 'channels', '_', 'new')}
      leftSection={<Icon name="plus" size={14} />}
    >
      New channel
    </Button>
  );
  return (
    <PageFrame
      title="Channels"
      width="list"
      description="Where agents that you list can post messages, and where permission requests are announced."
      actions={add}
    >
      <SearchList
        query={channels}
        what="The list of channels"
        textOf={({ name }) => name}
        empty={
          <EmptyState
            title="No channels yet"
            text="A channel is an incoming webhook of a chat, such as Slack’s. Its URL is kept as a secret."
          >
            {add}
          </EmptyState>
        }
      >
        {(items) => <ChannelsTable channels={items} />}
      </SearchList>
      <Title order={2} size="h4">
        Recent deliveries
      </Title>
      <Deliveries channel={null} />
    </PageFrame>
  );
}

function ChannelsTable({ channels }: { channels: ListedChannel[] }) {
  return (
    <DataTable
      isFlush
      label="Channels"
      columns={['Name', 'Agents that can post', 'Permission requests', 'Address']}
      minWidth={560}
    >
      {channels.map((each) => (
        <ChannelRow key={each.name} channel={each} />
      ))}
    </DataTable>
  );
}

function ChannelRow({ channel: { name, settings } }: { channel: ListedChannel }) {
  const { slug } = useWorkspace();
  const count = settings?.agents.length ?? 0;
  return (
    <tr>
      <td>
        <TextLink to={pathOf(slug, 'channels', name)}>{name}</TextLink>
      </td>
      <td>{count === 0 ? 'none' : count}</td>
      <td>{settings?.announce_permission_requests ? 'announced' : 'not announced'}</td>
      <td className="mono">{settings?.address}</td>
    </tr>
  );
}
