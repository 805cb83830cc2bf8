/** One attempt to deliver a message to its channel. Everything is decided by what the database says now. */
import { ApplicationFailure, Context } from '@temporalio/activity';
import { openSecret } from '../../commands/secrets/open.ts';
import { type DeliveryFailure, deliveryFailure } from '../../contract/channel.ts';
import { referencedSecretName } from '../../contract/names.ts';
import type { ChannelMessageOutcome, RefusalType } from '../../contract/workflows.ts';
import { readOutcome, settleMessage, takeAttempt } from '../../store/channel-messages/messages.ts';
import { type Delivery, readDelivery } from '../../store/channel-messages/read-delivery.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { postToWebhook } from './post-to-webhook.ts';
import { agentMessage, requestMessage, type SlackMessage, testMessage } from './slack-message.ts';
import type { Verdict } from './webhook-answer.ts';

interface MessageInput {
  messageId: string;
}

/**
 * Delivers the message, or records why not. Delivering twice is possible: an answer may be lost, and a worker; the webhook is given the same
 * `Idempotency-Key` then. Throws `delivery_failed` with the failure's code when another attempt may succeed.
 */
export async function deliverMessage(
  dependencies: ActivityDependencies,
  { messageId }: MessageInput,
): Promise<ChannelMessageOutcome> {
  const { db, log } = dependencies;
  const delivery = (await takeAttempt(db, messageId)) ? await readDelivery(db, messageId) : null;
  if (delivery !== null) {
    const verdict = await attempt(dependencies, delivery);
    log.info({ message_id: messageId, ...verdict }, 'a message to a channel was tried');
    if (verdict.kind === 'try_again') {
      throw tryAgain(verdict);
    }
    await settleMessage(db, messageId, verdict.kind === 'failed' ? verdict.failure : null);
  }
  return outcomeOf(dependencies, messageId);
}

/** Records that the attempts have ended without a delivery, with the code of the last failure; null for any other fault. A settled message stays as it is. */
export async function recordDeliveryFailure(
  dependencies: ActivityDependencies,
  { messageId, failure }: MessageInput & { failure: string | null },
): Promise<ChannelMessageOutcome> {
  await settleMessage(dependencies.db, messageId, deliveryFailure.catch('internal_error').parse(failure));
  return outcomeOf(dependencies, messageId);
}

async function outcomeOf({ db }: ActivityDependencies, messageId: string): Promise<ChannelMessageOutcome> {
  const stored = await readOutcome(db, messageId);
  return { status: stored?.status ?? 'erased', failure: stored?.failure ?? null };
}

function tryAgain({ failure, afterMs }: Extract<Verdict, { kind: 'try_again' }>): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'delivery_failed' satisfies RefusalType,
    message: failure,
    ...(afterMs === null ? {} : { nextRetryDelay: afterMs }),
  });
}

const failed = (failure: DeliveryFailure): Verdict => ({ kind: 'failed', failure });

async function attempt(dependencies: ActivityDependencies, delivery: Delivery): Promise<Verdict> {
  const { channel } = delivery;
  const content = contentOf(delivery);
  if (channel === null || typeof content === 'string') {
    return failed(typeof content === 'string' ? content : 'channel_removed');
  }
  const address = await resolveAddress(dependencies, delivery.workspace.id, channel.address);
  if ('failure' in address) {
    return failed(address.failure);
  }
  const context = { ...dependencies.webhooks, signal: Context.current().cancellationSignal };
  return postToWebhook(context, address.value, { id: delivery.id, message: content });
}

/** What is sent, or why it is no longer to be sent. An agent that was taken off the list does not reach the channel any more. */
function contentOf({
  kind,
  channel,
  session,
  request,
  text,
  workspace: { name, slug, is_closed: isClosed },
  link_origin: linkOrigin,
}: Delivery): SlackMessage | DeliveryFailure {
  if (isClosed) {
    return 'workspace_closed';
  }
  if (channel === null) {
    return 'channel_removed';
  }
  if (kind === 'test') {
    return testMessage({ name }, channel.name);
  }
  if (session === null) {
    return 'internal_error';
  }
  if (kind === 'message') {
    return text === null
      ? 'internal_error'
      : channel.lists_agent
        ? agentMessage(session, text)
        : 'not_allowed';
  }
  if (request === null || request.status !== 'open') {
    return 'request_closed';
  }
  return channel.announces
    ? requestMessage(request, { agentName: session.agent_name, slug, linkOrigin })
    : 'not_announced';
}

/** The secret's value, when the channel may use it now. */
async function resolveAddress(
  { db, masterKeys }: Pick<ActivityDependencies, 'db' | 'masterKeys'>,
  workspaceId: string,
  address: string,
): Promise<{ value: string } | { failure: DeliveryFailure }> {
  const name = referencedSecretName(address) ?? '';
  try {
    const opened = await openSecret(db, masterKeys, { workspaceId, name, server: null });
    return 'refusal' in opened ? { failure: opened.refusal.code } : opened;
  } catch (error) {
    if (error instanceof UnreadableSecretError) {
      return { failure: 'secret_unreadable' };
    }
    throw error;
  }
}
