import { Button, Table, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { ListedChannel } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
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
    <Button component={Link} href={pathOf(slug, 'channels', '_', 'new')}>
      New channel
    </Button>
  );
  return (
    <PageFrame
      title="Channels"
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
    <Table.ScrollContainer minWidth={560}>
      <Table verticalSpacing="sm" aria-label="Channels">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Agents that can post</Table.Th>
            <Table.Th>Permission requests</Table.Th>
            <Table.Th>Address</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {channels.map((each) => (
            <ChannelRow key={each.name} channel={each} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function ChannelRow({ channel: { name, settings } }: { channel: ListedChannel }) {
  const { slug } = useWorkspace();
  const count = settings?.agents.length ?? 0;
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to={pathOf(slug, 'channels', name)}>{name}</TextLink>
      </Table.Td>
      <Table.Td>{count === 0 ? 'none' : count}</Table.Td>
      <Table.Td>{settings?.announce_permission_requests ? 'announced' : 'not announced'}</Table.Td>
      <Table.Td ff="monospace">{settings?.address}</Table.Td>
    </Table.Tr>
  );
}
