/** Messages to channels through the whole platform, while its worker and its API are killed. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ChannelMessage } from '../../contract/channel.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let webhook: Webhook;
let platform: Platform;
let ada: FrontDoor;

beforeAll(async () => {
  webhook = await startWebhook();
  platform = await startPlatform({
    usesRunServers: true,
    withoutDemoSession: true,
    env: { PRIVATE_WEBHOOK_HOSTS: `http://${webhook.host}` },
  });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  await ada.ok('PUT', `${ada.workspace}/secrets/WEBHOOK`, { value: webhook.url });
});
afterAll(async () => {
  await platform?.stop();
  await webhook?.close();
});

const messages = async () =>
  (await ada.ok<{ messages: ChannelMessage[] }>('GET', `${ada.workspace}/channel-messages`)).messages;

it('of a worker that is killed while it posts is posted again, with the same key, and delivered', async () => {
  const poster = await ada.createAgent(
    'poster',
    [
      { call: 'platform.post_message', arguments: { text: 'Done <!here>', channel: 'reports' } },
      { call: 'platform.post_message', arguments: { text: 'Posted to the conversation' } },
      { call: 'platform.post_message', arguments: { text: 'x', channel: 'secret' }, expect: 'not_allowed' },
    ],
    {},
  );
  await ada.ok('POST', `${ada.workspace}/channels`, {
    ...{ name: 'reports', address: `\${WEBHOOK}` },
    agents: [poster.id],
  });
  await ada.ok('POST', `${ada.workspace}/channels`, { name: 'secret', address: `\${WEBHOOK}` });
  // The first attempt is never answered.
  webhook.answer(() => undefined);
  const session = await ada.startSession(poster.id);
  await eventually(() => expect(webhook.received).toHaveLength(1), { withinMs: 180_000 });
  await platform.kill('worker', '');
  const delivered = await untilFound(
    'the delivery',
    async () => (await messages()).find(({ status }) => status === 'delivered'),
    180_000,
  );
  expect(delivered).toMatchObject({ channel: 'reports', session_id: session.id });
  expect(delivered.attempts).toBeGreaterThanOrEqual(2);
  const keys = webhook.received.map(({ headers }) => headers['idempotency-key']);
  expect(keys.length).toBeGreaterThanOrEqual(2);
  expect(new Set(keys)).toEqual(new Set([delivered.id]));
  expect(webhook.received[0]?.message.text).toBe(
    `Agent "poster" in session ${session.id} wrote:\n│ Done &lt;!here&gt;`,
  );
  expect(await ada.ended(session.id)).toMatchObject({ status: 'completed' });
  const events = await ada.events(session.id);
  expect(events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'agent.channel_message',
        payload: { channel: 'reports', text: 'Done <!here>' },
      }),
      expect.objectContaining({
        type: 'agent.message',
        payload: { text: 'Posted to the conversation', channel: null },
      }),
    ]),
  );
  expect(await messages()).toHaveLength(1);
});
