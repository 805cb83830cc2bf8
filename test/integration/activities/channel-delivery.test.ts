/** One attempt to deliver a message, to real webhooks that behave and that do not. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import type { MockActivityEnvironment } from '@temporalio/testing';
import { webhooksWith } from '../../../activities/channel-messages/webhooks.ts';
import { createActivities } from '../../../activities/index.ts';
import { postMessage, sendTestMessage } from '../../../commands/channel-messages/messages.ts';
import { changeChannel, createChannel, removeChannel } from '../../../commands/channels/channels.ts';
import { clearSecret, restrictSecret } from '../../../commands/secrets/secrets.ts';
import { channelInput } from '../../../contract/channel.ts';
import type { Session } from '../../../contract/session.ts';
import { channelMessageWorkflowId } from '../../../contract/workflows.ts';
import { removeOldMessages } from '../../../store/channel-messages/messages.ts';
import { createTestActivities, environmentOf, type TestActivities } from '../../support/activities.ts';
import { eventually } from '../../support/eventually.ts';
import type { Tenant } from '../../support/tenant.ts';
import { secretPart, startWebhook, type Webhook, type WebhookReply } from '../../support/webhook.ts';

let activities: TestActivities;
let webhook: Webhook;
let tenant: Tenant;
let session: Session;

beforeAll(async () => {
  [activities, webhook] = await Promise.all([createTestActivities(), startWebhook()]);
});
beforeEach(async () => {
  tenant = await activities.tenant();
  session = await tenant.session(await tenant.agent({ name: 'scribe' }));
  await setUp(webhook.url);
  webhook.received.length = 0;
  webhook.answer();
});
afterEach(() => expect(activities.logged()).not.toContain(secretPart));
afterAll(async () => {
  await activities.drop();
  await webhook.close();
});

const key = () => ({ workspaceId: tenant.workspace.id, name: 'reports' });

async function setUp(address: string): Promise<void> {
  await tenant.secret('WEBHOOK', address);
  const input = channelInput.parse({
    ...{ name: 'reports', address: `\${WEBHOOK}`, announce_permission_requests: true },
    agents: [session.agent_id],
  });
  const by = { userId: tenant.ada.id, limit: 50 };
  const saved = await createChannel(activities.db, tenant.workspace.id, input, by);
  if (saved.result === 'refused') {
    throw new Error(JSON.stringify(saved.problems));
  }
}

async function post(text = 'The report is ready.'): Promise<string> {
  const posting = { callId: randomUUID(), text, channel: 'reports' };
  const limits = { perMinute: 100, waitingPerChannel: 100, publishedBytes: 1_000_000 };
  const posted = await postMessage(activities.db, session, posting, limits);
  if (posted.result !== 'posted') {
    throw new Error(posted.result);
  }
  return posted.messageId;
}

const deliver = (messageId: string, environment?: MockActivityEnvironment) =>
  activities.run('deliverMessage', { messageId }, environment);
const rowOf = (id: string) => activities.db('channel_messages').where({ id }).first();
/** What an attempt that may be repeated fails with. */
async function failureOf(messageId: string): Promise<ApplicationFailure> {
  const error: unknown = await deliver(messageId).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApplicationFailure)) {
    throw error;
  }
  return error;
}

describe('a webhook that answers', () => {
  it('is posted the message with its key, and no other attempt is made', async () => {
    const id = await post();
    expect(await deliver(id)).toEqual({ status: 'delivered', failure: null });
    expect(webhook.received).toHaveLength(1);
    const [{ path, headers, message } = {}] = webhook.received;
    expect(path).toBe(`/services/${secretPart}`);
    expect(headers).toMatchObject({ 'idempotency-key': id, 'content-type': 'application/json' });
    expect(message?.text).toBe(`Agent "scribe" in session ${session.id} wrote:\n│ The report is ready.`);
    expect(await rowOf(id)).toMatchObject({ status: 'delivered', attempts: 1, failure: null });
    expect(await deliver(id)).toEqual({ status: 'delivered', failure: null });
    expect(webhook.received).toHaveLength(1);
  });

  it('is posted the same message with the same key when the answer was lost', async () => {
    webhook.answer((request) => request.socket.destroy());
    const id = await post();
    expect((await failureOf(id)).message).toBe('unreachable');
    expect(await deliver(id)).toMatchObject({ status: 'delivered' });
    expect(webhook.received.map(({ headers }) => headers['idempotency-key'])).toEqual([id, id]);
    expect(webhook.received[1]?.message).toEqual(webhook.received[0]?.message);
    expect(await rowOf(id)).toMatchObject({ attempts: 2 });
  });

  it.each([400, 403, 404, 410])('with %i ends the delivery', async (status) => {
    webhook.answer(status);
    const id = await post();
    expect(await deliver(id)).toEqual({ status: 'failed', failure: 'rejected' });
    expect(await rowOf(id)).toMatchObject({ status: 'failed', failure: 'rejected' });
  });

  it('with 500 is asked again', async () => {
    webhook.answer(500);
    const id = await post();
    const failure = await failureOf(id);
    expect(failure).toMatchObject({
      type: 'delivery_failed',
      nonRetryable: false,
      message: 'receiver_failed',
    });
    expect(await rowOf(id)).toMatchObject({ status: 'pending', attempts: 1 });
  });

  it('with 500 ten times ends the delivery, with the last cause', async () => {
    webhook.answer(...Array.from({ length: 10 }, () => 500));
    const id = await post();
    for (let attempts = 1; attempts < 10; attempts += 1) {
      expect((await failureOf(id)).message).toBe('receiver_failed');
    }
    expect(await deliver(id)).toEqual({ status: 'failed', failure: 'receiver_failed' });
    expect(await rowOf(id)).toMatchObject({ status: 'failed', attempts: 10 });
  });

  it('slowly has ten messages of its workspace at a time, and those of others are delivered', async () => {
    const held: (() => void)[] = [];
    const hold: WebhookReply = (_request, response) => {
      held.push(() => response.writeHead(200).end());
    };
    webhook.answer(...Array.from({ length: 10 }, () => hold));
    const ids: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      ids.push(await post());
    }
    const [eleventh = '', ...slow] = ids;
    tenant = await activities.tenant();
    session = await tenant.session(await tenant.agent({ name: 'other' }));
    await setUp(webhook.url);
    const ofOther = await post();

    const delivering = slow.map((id) => deliver(id));
    await eventually(() => expect(held).toHaveLength(10));
    expect(await deliver(eleventh)).toEqual({ status: 'pending', failure: null });
    expect(await rowOf(eleventh)).toMatchObject({ status: 'pending', attempts: 0 });
    const delivered = { status: 'delivered', failure: null };
    expect(await deliver(ofOther)).toEqual(delivered);
    for (const answer of held) {
      answer();
    }
    expect(await Promise.all(delivering)).toEqual(slow.map(() => delivered));
    expect(await deliver(eleventh)).toEqual(delivered);
  });

  it('with 429 is asked again when it says', async () => {
    webhook.answer((_request, response) => response.writeHead(429, { 'retry-after': '7' }).end());
    const failure = await failureOf(await post());
    expect(failure).toMatchObject({ message: 'rate_limited', nextRetryDelay: 7000 });
  });

  it.each<[string, WebhookReply, string]>([
    [
      'redirects to another host',
      (_request, response) => response.writeHead(307, { location: 'https://evil.example/' }).end(),
      'redirected',
    ],
    [
      'redirects within itself',
      (_request, response) => response.writeHead(302, { location: '/again' }).end(),
      'redirected',
    ],
  ])('and %s is not followed', async (_what, reply, failure) => {
    webhook.answer(reply);
    expect(await deliver(await post())).toEqual({ status: 'failed', failure });
    expect(webhook.received).toHaveLength(1);
  });

  it('and floods its answer is not read', async () => {
    let isClosed: Promise<unknown> = Promise.resolve();
    webhook.answer((request, response) => {
      isClosed = new Promise((resolve) => request.socket.on('close', resolve));
      response.writeHead(200, { 'content-type': 'text/plain' });
      const flood = () => {
        while (response.write('x'.repeat(64 * 1024))) {
          // Until the other side does not read.
        }
      };
      response.on('drain', flood);
      flood();
    });
    expect(await deliver(await post())).toMatchObject({ status: 'delivered' });
    await isClosed;
  });

  it('and sends no HTTP is asked again', async () => {
    webhook.answer((request) => request.socket.end('hello\r\n\r\n'));
    expect((await failureOf(await post())).message).toBe('unreachable');
  });

  it('and never answers is given up when the attempt ends', async () => {
    const id = await post();
    const environment = environmentOf(channelMessageWorkflowId(id));
    webhook.answer(() => environment.cancel('TIMED_OUT'));
    await expect(deliver(id, environment)).rejects.toThrow();
    expect(await rowOf(id)).toMatchObject({ status: 'pending', attempts: 1 });
  });
});

describe('an address', () => {
  it.each([
    ['of this machine', 'https://127.0.0.1/x', 'address_refused'],
    ['of a metadata service', 'https://169.254.169.254/latest', 'address_refused'],
    ['of the private network', 'https://10.0.0.1/x', 'address_refused'],
    ['of this machine in IPv6', 'https://[::1]/x', 'address_refused'],
    ['of this machine as a number', 'https://2130706433/x', 'address_refused'],
    ['by a name that is this machine’s', 'https://localhost/x', 'address_refused'],
    ['without TLS', 'http://hooks.example/x', 'address_refused'],
    ['that is a file', 'file:///etc/passwd', 'address_invalid'],
    ['that is no address', 'T0-only-the-owner-knows', 'address_invalid'],
    ['with a password', 'https://user:T0-only-the-owner-knows@hooks.example/x', 'address_invalid'],
    ['with a backslash', 'https://hooks.example\\@127.0.0.1/x', 'address_invalid'],
    ['with a line break inside', 'https://hooks.example/\r\nhost: x', 'address_invalid'],
    ['with a fragment', 'https://hooks.example/x#y', 'address_invalid'],
    ['beyond all length', `https://hooks.example/${'x'.repeat(3000)}`, 'address_invalid'],
  ])('%s is not posted to', async (_what, address, failure) => {
    const id = await post();
    await tenant.secret('WEBHOOK', address);
    expect(await deliver(id)).toEqual({ status: 'failed', failure });
  });

  it('of a private host that the operator did not list is not posted to', async () => {
    const unlisted = await startWebhook({ isListed: false });
    const id = await post();
    await tenant.secret('WEBHOOK', unlisted.url);
    expect(await deliver(id)).toEqual({ status: 'failed', failure: 'address_refused' });
    expect(unlisted.received).toEqual([]);
    await unlisted.close();
  });

  it('whose name leads inside is not posted to, whatever it led to before', async () => {
    const id = await post();
    await tenant.secret('WEBHOOK', 'https://hooks.example/x');
    const webhooks = {
      ...webhooksWith(new Map()),
      resolveName: async () => [
        { address: '93.184.216.34', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ],
    };
    const { deliverMessage } = createActivities({ ...activities.dependencies, webhooks });
    const environment = environmentOf(channelMessageWorkflowId(id));
    expect(await environment.run(deliverMessage, { messageId: id })).toEqual({
      status: 'failed',
      failure: 'address_refused',
    });
  });

  it('that ends in a line break, as it was pasted, is posted to', async () => {
    const id = await post();
    await tenant.secret('WEBHOOK', `${webhook.url}\n`);
    expect(await deliver(id)).toMatchObject({ status: 'delivered' });
  });
});

describe('what changed while a message waited', () => {
  const settings = () => ({
    ...{ kind: 'slack' as const, address: `\${WEBHOOK}`, announce_permission_requests: true },
    agents: [session.agent_id],
  });
  const secretKey = () => ({ workspaceId: tenant.workspace.id, name: 'WEBHOOK' });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'the agent was taken off the list',
      () => changeChannel(activities.db, key(), { ...settings(), agents: [] }, tenant.ada.id),
      'not_allowed',
    ],
    [
      'the workspace was closed',
      () =>
        activities
          .db('workspaces')
          .where({ id: tenant.workspace.id })
          .update({ closed_at: new Date().toISOString() }),
      'workspace_closed',
    ],
    ['the channel was removed', () => removeChannel(activities.db, key(), tenant.ada.id), 'channel_removed'],
    [
      'the secret was cleared',
      () => clearSecret(activities.db, secretKey(), tenant.ada.id),
      'secret_not_set',
    ],
    [
      'the secret was restricted to servers',
      () => restrictSecret(activities.db, secretKey(), ['files'], tenant.ada.id),
      'secret_not_allowed',
    ],
    [
      'the secret’s key was lost',
      () =>
        activities
          .db('workspace_secrets')
          .where({ workspace_id: tenant.workspace.id, name: 'WEBHOOK' })
          .update({ key_id: 'gone' }),
      'secret_unreadable',
    ],
  ])('decides: %s', async (_what, change, failure) => {
    const id = await post();
    await change();
    expect(await deliver(id)).toEqual({ status: 'failed', failure });
    expect(webhook.received).toEqual([]);
  });

  it('does not reach a channel of the same name that was made later', async () => {
    const id = await post();
    await removeChannel(activities.db, key(), tenant.ada.id);
    await setUp(webhook.url);
    expect(await deliver(id)).toEqual({ status: 'failed', failure: 'channel_removed' });
    expect(webhook.received).toEqual([]);
  });

  it('is used: another value of the secret is another address', async () => {
    const other = await startWebhook();
    const id = await post();
    await tenant.secret('WEBHOOK', other.url);
    expect(await deliver(id)).toMatchObject({ status: 'delivered' });
    expect([webhook.received.length, other.received.length]).toEqual([0, 1]);
    await other.close();
  });

  it('may be that no server may be given the secret: channels may', async () => {
    const id = await post();
    await restrictSecret(activities.db, secretKey(), [], tenant.ada.id);
    expect(await deliver(id)).toMatchObject({ status: 'delivered' });
  });

  it('is that the session is gone: nothing is sent', async () => {
    const id = await post();
    await activities.db('sessions').where({ id: session.id }).delete();
    expect(await deliver(id)).toEqual({ status: 'erased', failure: null });
    expect(webhook.received).toEqual([]);
  });
});

it('a test message is delivered without a session, and an unknown failure is an internal error', async () => {
  const id = await sendTestMessage(activities.db, key(), { waitingPerChannel: 10 });
  expect(await deliver(id ?? '')).toMatchObject({ status: 'delivered' });
  expect(webhook.received[0]?.message.text).toContain('Test message: the channel "reports"');
  const lost = await post();
  const recorded = await activities.run('recordDeliveryFailure', { messageId: lost, failure: 'a secret' });
  expect(recorded).toEqual({ status: 'failed', failure: 'internal_error' });
});

it('what is known of a message is removed a while after it was settled, and never while it waits', async () => {
  const [delivered, waiting] = [await post(), await post()];
  await deliver(delivered);
  const left = async () => activities.db('channel_messages').whereIn('id', [delivered, waiting]).pluck('id');
  await removeOldMessages(activities.db, { keptSeconds: 3600 });
  expect(await left()).toHaveLength(2);
  await activities
    .db('channel_messages')
    .where({ id: delivered })
    .update({ settled_at: activities.db.raw("now() - interval '2 hours'") });
  await removeOldMessages(activities.db, { keptSeconds: 3600 });
  expect(await left()).toEqual([waiting]);
  expect(await deliver(delivered)).toEqual({ status: 'erased', failure: null });
});

it('an activity serves only the workflow of its message', async () => {
  const id = await post();
  const foreign = environmentOf(channelMessageWorkflowId(randomUUID()));
  await expect(deliver(id, foreign)).rejects.toMatchObject({ type: 'foreign_workflow' });
});
