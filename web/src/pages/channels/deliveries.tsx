/**
 * Messages to channels with the state of their delivery. Their texts are in the
 * transcripts of their sessions.
 */
import { Badge, Table, Text } from '@mantine/core';
import type { ChannelMessage } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ListState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { deliveryDetail, kindLabels, statusLabels } from '../../text/delivery-text.ts';
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
      {(messages) => <DeliveriesTable messages={messages} ofOne={channel !== null} />}
    </ListState>
  );
}

/** The state stands where a phone shows it without scrolling. */
function DeliveriesTable({ messages, ofOne }: { messages: ChannelMessage[]; ofOne: boolean }) {
  return (
    <Table.ScrollContainer minWidth={ofOne ? 320 : 480}>
      <Table verticalSpacing="sm" aria-label="Deliveries" className="whole-words">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Posted</Table.Th>
            <Table.Th>Delivery</Table.Th>
            <Table.Th>What</Table.Th>
            {ofOne ? null : <Table.Th>Channel</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {messages.map((message) => (
            <DeliveryRow key={message.id} message={message} ofOne={ofOne} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function DeliveryRow({ message, ofOne }: { message: ChannelMessage; ofOne: boolean }) {
  const { channel, status, created_at } = message;
  const detail = deliveryDetail(message);
  return (
    <Table.Tr>
      <Table.Td>
        <RelativeTime at={created_at} />
      </Table.Td>
      <Table.Td>
        <Badge color={colors[status]} variant="light" tt="none">
          {statusLabels[status]}
        </Badge>
        {detail === null ? null : <Text size="sm">{detail}</Text>}
      </Table.Td>
      <Table.Td>
        <What message={message} />
      </Table.Td>
      {ofOne ? null : <Table.Td>{channel}</Table.Td>}
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
