/**
 * Messages to channels with the state of their delivery. Their texts are in the
 * transcripts of their sessions.
 */
import { Text } from '@mantine/core';
import type { ChannelMessage } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Pill } from '../../components/pill.tsx';
import { ListState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { deliveryDetail, kindLabels, statusLabels } from '../../text/delivery-text.ts';
import type { Tone } from '../../text/tone.ts';
import { useChannelMessages } from './use-channels.ts';

const tones: Record<ChannelMessage['status'], Tone> = {
  pending: 'run',
  delivered: 'ok',
  failed: 'fail',
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
    <DataTable
      isFlush
      label="Deliveries"
      columns={['Posted', 'Delivery', 'What', ofOne ? null : 'Channel']}
      minWidth={ofOne ? 320 : 480}
      className="whole-words"
    >
      {messages.map((message) => (
        <DeliveryRow key={message.id} message={message} ofOne={ofOne} />
      ))}
    </DataTable>
  );
}

function DeliveryRow({ message, ofOne }: { message: ChannelMessage; ofOne: boolean }) {
  const { channel, status, created_at } = message;
  const detail = deliveryDetail(message);
  return (
    <tr>
      <td>
        <RelativeTime at={created_at} />
      </td>
      <td>
        <Pill tone={tones[status]}>{statusLabels[status]}</Pill>
        {detail === null ? null : <Text size="sm">{detail}</Text>}
      </td>
      <td>
        <What message={message} />
      </td>
      {ofOne ? null : <td>{channel}</td>}
    </tr>
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
