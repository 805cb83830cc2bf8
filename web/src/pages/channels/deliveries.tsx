/** Messages to channels with the state of their delivery. Their texts are in the transcripts of their sessions. */
import { Badge, Table, Text } from '@mantine/core';
import type { ChannelMessage } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ListState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { deliveryText, kindLabels, statusLabels } from '../../text/delivery-text.ts';
import { useChannelMessages } from './use-channels.ts';

const colors: Record<ChannelMessage['status'], string> = {
  pending: 'gray',
  delivered: 'green',
  failed: 'red',
};

/** Of one channel, or with null of all. */
export function Deliveries({ channel }: { channel: string | null }) {
  const { slug } = useWorkspace();
  const list = useChannelMessages(slug, channel);
  return (
    <ListState
      list={list}
      what="The list of deliveries"
      empty={<Text c="dimmed">Nothing has been posted yet.</Text>}
    >
      {(messages) => <DeliveriesTable messages={messages} />}
    </ListState>
  );
}

function DeliveriesTable({ messages }: { messages: ChannelMessage[] }) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="sm" aria-label="Deliveries">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Posted</Table.Th>
            <Table.Th>Channel</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th>Delivery</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {messages.map((message) => (
            <DeliveryRow key={message.id} message={message} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function DeliveryRow({ message }: { message: ChannelMessage }) {
  const { channel, status, created_at } = message;
  return (
    <Table.Tr>
      <Table.Td>
        <RelativeTime at={created_at} />
      </Table.Td>
      <Table.Td>{channel}</Table.Td>
      <Table.Td>
        <What message={message} />
      </Table.Td>
      <Table.Td>
        <Badge color={colors[status]} variant="light">
          {statusLabels[status]}
        </Badge>
        <Text size="sm">{deliveryText(message)}</Text>
      </Table.Td>
    </Table.Tr>
  );
}

function What({ message: { kind, agent, session_id, request_id } }: { message: ChannelMessage }) {
  const { slug } = useWorkspace();
  const page =
    request_id !== null
      ? pathOf(slug, 'approvals', request_id)
      : session_id === null
        ? null
        : pathOf(slug, 'sessions', session_id);
  return (
    <>
      {page === null ? kindLabels[kind] : <TextLink to={page}>{kindLabels[kind]}</TextLink>}
      {agent === null ? null : (
        <Text size="sm" c="dimmed" component="div">
          <VisibleText text={agent.name} />
        </Text>
      )}
    </>
  );
}
