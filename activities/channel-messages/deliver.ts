/** One attempt to deliver a message to its channel. Everything is decided by what the database says now. */
import { ApplicationFailure, Context } from '@temporalio/activity';
import { openSecret } from '../../commands/secrets/secrets.ts';
import { type DeliveryFailure, deliveryFailure } from '../../contract/channel.ts';
import { referencedSecretName } from '../../contract/names.ts';
import {
  type ChannelMessageOutcome,
  mostDeliveryAttempts,
  type RefusalType,
} from '../../contract/workflows.ts';
import { createKeyedSemaphore } from '../../lib/limits/semaphore.ts';
import { readOutcome, settleMessage, takeAttempt } from '../../store/channel-messages/messages.ts';
import { type Delivery, readDelivery } from '../../store/channel-messages/read-delivery.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { postToWebhook } from './post-to-webhook.ts';
import { agentMessage, requestMessage, type SlackMessage, testMessage } from './slack-message.ts';
import type { Verdict } from './webhook-answer.ts';

/** Of all workspaces, in one worker. */
export const deliveriesAtATime = 20;
/** Of one workspace, so that its slow webhooks leave room for others. */
const ofWorkspaceAtATime = deliveriesAtATime / 2;

const places = createKeyedSemaphore();

interface MessageInput {
  messageId: string;
}

/**
 * Delivers the message, or records why not; `pending` when nothing was tried, because others of its
 * workspace are being posted. Delivering twice is possible: an answer may be lost, and a worker; the
 * webhook is given the same `Idempotency-Key` then. Throws `delivery_failed` with the failure's code when
 * another attempt may succeed.
 */
export async function deliverMessage(
  dependencies: ActivityDependencies,
  { messageId }: MessageInput,
): Promise<ChannelMessageOutcome> {
  const delivery = await readDelivery(dependencies.db, messageId);
  if (delivery !== null) {
    const leave = places.tryAcquire({ key: delivery.workspace.id, permits: ofWorkspaceAtATime });
    if (leave === null) {
      return { status: 'pending', failure: null };
    }
    await deliverOnce(dependencies, delivery).finally(leave);
  }
  return outcomeOf(dependencies, messageId);
}

async function deliverOnce(dependencies: ActivityDependencies, delivery: Delivery): Promise<void> {
  const { db, log } = dependencies;
  const attempts = await takeAttempt(db, delivery.id);
  if (attempts === null) {
    return;
  }
  const verdict = await attempt(dependencies, delivery);
  log.info({ message_id: delivery.id, ...verdict }, 'a message to a channel was tried');
  // Counted on the message: Temporal counts from one again after the message had to wait for its turn.
  if (verdict.kind === 'try_again' && attempts < mostDeliveryAttempts) {
    throw tryAgain(verdict);
  }
  await settleMessage(db, delivery.id, verdict.kind === 'delivered' ? null : verdict.failure);
}

/**
 * Records that the attempts have ended without a delivery, with the code of the last failure; null for any
 * other fault. A settled message stays as it is.
 */
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
  const { channel, workspace } = delivery;
  const content = contentOf(delivery);
  if (channel === null || typeof content === 'string') {
    return failed(typeof content === 'string' ? content : 'channel_removed');
  }
  const address = await resolveAddress(dependencies, workspace.id, channel.address);
  if ('failure' in address) {
    return failed(address.failure);
  }
  const signal = Context.current().cancellationSignal;
  const context = { ...dependencies.webhooks, workspaceId: workspace.id, signal };
  return postToWebhook(context, address.value, { id: delivery.id, message: content });
}

/**
 * What is sent, or why it is no longer to be sent. An agent that was taken off the list does not
 * reach the channel any more.
 */
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
