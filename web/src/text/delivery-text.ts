/** Messages to channels and their delivery, as people say it. Pure. */
import type { ChannelMessage } from '../api/types.ts';

type Failure = NonNullable<ChannelMessage['failure']>;

export const kindLabels: Record<ChannelMessage['kind'], string> = {
  message: 'Message of an agent',
  permission_request: 'Announcement',
  test: 'Test',
};

export const statusLabels: Record<ChannelMessage['status'], string> = {
  pending: 'waiting',
  delivered: 'delivered',
  failed: 'failed',
};

/** Why a message was not delivered, and what to do about it. */
export const failureTexts: Record<Failure, string> = {
  not_allowed: 'An admin took the agent off the list of this channel before the message was delivered.',
  channel_removed: 'The channel was removed before the message was delivered.',
  not_announced: 'The channel no longer announces permission requests.',
  workspace_closed: 'The workspace was closed before it could be delivered.',
  request_closed: 'The request was closed before it could be announced.',
  too_many_waiting: 'Too many messages were waiting for this channel.',
  secret_not_set: 'The secret with the address is not set: set it, then send a test.',
  secret_not_allowed:
    'The secret with the address may be given to certain MCP servers only: choose another secret.',
  secret_unreadable: 'The secret with the address cannot be decrypted: set it again.',
  address_invalid: 'The secret holds no web address: set it to the URL of the webhook.',
  address_refused:
    'The address is private, or is not https: the operator of the platform has to list its host in PRIVATE_WEBHOOK_HOSTS.',
  redirected: 'The webhook redirects elsewhere, which is not followed: set the secret to its final URL.',
  rejected: 'The webhook rejected the message: check that its URL is still valid.',
  rate_limited: 'The webhook kept asking for fewer messages.',
  receiver_failed: 'The webhook kept failing.',
  timed_out: 'The webhook did not answer in time.',
  unreachable: 'The webhook could not be reached.',
  internal_error: 'An internal error of the platform; the worker’s log has the cause.',
};

/** The state of a delivery in one sentence. */
export function deliveryText({
  status,
  failure,
  attempts,
}: Pick<ChannelMessage, 'status' | 'failure' | 'attempts'>): string {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  switch (status) {
    case 'delivered':
      return `Delivered after ${tries}.`;
    case 'failed':
      return failure === null ? 'It failed.' : failureTexts[failure];
    case 'pending':
      return attempts === 0 ? 'Waiting to be delivered.' : `Waiting to be tried again, after ${tries}.`;
  }
}

/** What the word for its state leaves open; null where that is nothing. */
export function deliveryDetail(
  message: Pick<ChannelMessage, 'status' | 'failure' | 'attempts'>,
): string | null {
  const { status, attempts } = message;
  const isPlain = status === 'delivered' ? attempts <= 1 : status === 'pending' && attempts === 0;
  return isPlain ? null : deliveryText(message);
}

/** Polled while one waits, which no stream reports; no longer. In ms, as a query takes it. */
export const askWhileWaiting = (
  messages: readonly Pick<ChannelMessage, 'status'>[] | undefined,
): number | false => (messages?.some(({ status }) => status === 'pending') === true ? 2000 : false);
