/** Channels through the API, with real Temporal, a real worker and real webhooks. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Channel, ChannelMessage, ListedChannel } from '../../../contract/channel.ts';
import type { SecretUse } from '../../../contract/secret.ts';
import type { Session } from '../../../contract/session.ts';
import { channelMessageWorkflowId } from '../../../contract/workflows.ts';
import type { Person } from '../../support/api.ts';
import { eventually, untilFound } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';
import { secretPart, startWebhook, type Webhook } from '../../support/webhook.ts';

let api: SessionApi;
let webhook: Webhook;
let admin: Person;
let member: Person;
let base: string;
let workspaceId: string;

beforeAll(async () => {
  const limits = { LIMIT_CHANNELS_PER_WORKSPACE: '3', LIMIT_WAITING_MESSAGES_PER_CHANNEL: '5' };
  api = await startSessionApi(
    { ...limits, PUBLIC_URL: 'http://127.0.0.1', RATE_CHECKS_PER_MINUTE_PER_USER: '5' },
    { sweepEveryMs: 500 },
  );
});
beforeEach(async () => {
  const made = await api.workspace();
  ({ admin, member, base } = made);
  workspaceId = made.workspace.id;
  // One of its own for each test: an earlier one's messages may still be under way.
  webhook = await startWebhook();
  await admin.ok('PUT', `${base}/secrets/WEBHOOK`, { value: webhook.url });
});
afterEach(async () => {
  await webhook.close();
  expect(api.logged()).not.toContain(secretPart);
});
afterAll(() => api.stop());

const input = (more: object = {}) => ({ name: 'reports', address: `\${WEBHOOK}`, ...more });
const create = (more: object = {}) => admin.ok<{ channel: Channel }>('POST', `${base}/channels`, input(more));
const change = (more: object = {}) => {
  const { name: _name, ...settings } = input(more);
  return admin.ok<{ channel: Channel }>('PUT', `${base}/channels/reports`, settings);
};
const messages = async (of = admin) =>
  (await of.ok<{ messages: ChannelMessage[] }>('GET', `${base}/channel-messages`)).messages;
const settled = (id: string) =>
  untilFound(`the outcome of message ${id}`, async () => {
    const message = (await messages()).find((each) => each.id === id);
    return message === undefined || message.status === 'pending' ? null : message;
  });
const audited = async () => {
  const rows = await api
    .db('audit_events')
    .where({ workspace_id: workspaceId })
    .andWhere('event', 'like', 'workspace.channel.%')
    .orderBy('position')
    .select('event', 'resource_name', 'data');
  return rows.map(({ event, resource_name: name, data }) => [
    event.replace('workspace.channel.', ''),
    name,
    data,
  ]);
};
const post = (session: Session, given: object) =>
  api.asSidecar(session.id, 'POST', 'platform-tools/calls', {
    ...{ call_id: randomUUID(), name: 'post_message' },
    arguments: given,
  });
const ask = (session: Session, more: object = {}) =>
  api.asSidecar(session.id, 'POST', 'permission-requests', {
    ...{ request_id: randomUUID(), grant_type: 'tool_scope', details: { scope: 'files.write' } },
    ...{ scope: 'once', justification: 'approve here: https://evil.example', refused_call: null },
    ...more,
  });
/** A history with its payloads decoded. */
const readable = (json: string) =>
  json.replace(/"data":\s*"([\w+/=]+)"/g, (_all, data: string) => Buffer.from(data, 'base64').toString());
const requestOf = ({ body }: { body: unknown }) => String(Object(body)['request_id']);

describe('a channel', () => {
  it('is created, listed, changed and removed by an admin, and audited without its address', async () => {
    const { agent } = await api.runningSession(admin, base);
    const { channel } = await create();
    expect(channel).toMatchObject({
      ...{ name: 'reports', kind: 'slack', address: `\${WEBHOOK}`, agents: [] },
      announce_permission_requests: false,
    });
    const more = { agents: [agent.id, agent.id], announce_permission_requests: true };
    expect((await change(more)).channel.agents).toEqual([{ id: agent.id, name: agent.name }]);
    expect((await change(more)).channel.updated_by).toBe(admin.user.id);
    await admin.ok('DELETE', `${base}/channels/reports`);
    expect(await admin.send('GET', `${base}/channels/reports`)).toMatchObject({ status: 404 });
    const settings = { address: `\${WEBHOOK}`, announce_permission_requests: false, agents: [] };
    expect(await audited()).toEqual([
      ['created', 'reports', settings],
      ['updated', 'reports', { ...settings, announce_permission_requests: true, agents: [agent.id] }],
      ['removed', 'reports', {}],
    ]);
  });

  it('is known to members by its name alone', async () => {
    await create();
    const listed = async (person: Person) =>
      (await person.ok<{ channels: ListedChannel[] }>('GET', `${base}/channels`)).channels;
    expect(await listed(member)).toEqual([{ name: 'reports', settings: null }]);
    expect(await listed(admin)).toMatchObject([{ name: 'reports', settings: { address: `\${WEBHOOK}` } }]);
  });

  it.each([
    ['a name with spaces', { name: 'a b' }, 'name'],
    ['a name that is a path', { name: '../x' }, 'name'],
    ['an address in plain text', { address: 'https://hooks.example/x' }, 'address'],
    ['text around the reference', { address: 'https://${WEBHOOK}' }, 'address'],
    ['a secret that is not set', { address: '${NOTHING}' }, 'address'],
    ['another kind', { kind: 'mail' }, 'kind'],
    ['an unknown agent', { agents: [randomUUID()] }, 'agents'],
    ['something that is no id', { agents: ['scribe'] }, 'agents.0'],
    ['a further field', { url: 'x' }, 'url'],
  ])('is refused with %s', async (_what, wrong, path) => {
    const answer = await admin.send('POST', `${base}/channels`, input(wrong));
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.body).toMatchObject({ error: { fields: [expect.objectContaining({ path })] } });
  });

  it('lists no agent of another workspace', async () => {
    const other = await api.workspace();
    const { agent } = await api.runningSession(other.admin, other.base);
    expect(await admin.send('POST', `${base}/channels`, input({ agents: [agent.id] }))).toMatchObject({
      status: 422,
    });
  });

  it('uses no secret that is for certain servers, and is listed among the uses of its own', async () => {
    await admin.ok('PATCH', `${base}/secrets/WEBHOOK`, { allowed_servers: ['files'] });
    expect((await admin.send('POST', `${base}/channels`, input())).body).toMatchObject({
      error: { fields: [{ path: 'address', code: 'secret_not_allowed' }] },
    });
    await admin.ok('PATCH', `${base}/secrets/WEBHOOK`, { allowed_servers: [] });
    await create();
    const { uses } = await member.ok<{ uses: SecretUse[] }>('GET', `${base}/secrets/WEBHOOK/uses`);
    expect(uses).toEqual([{ kind: 'channel_address', agent: null, name: 'reports', variable: null }]);
    expect(await member.ok('GET', `${base}/secrets?include_uses=true`)).toMatchObject({
      secrets: [{ name: 'WEBHOOK', used_by: { agents: 0, mcp_servers: 0, channels: 1 } }],
    });
  });

  it('has a name that no other has, and a workspace a few', async () => {
    await create();
    expect(await admin.send('POST', `${base}/channels`, input())).toMatchObject({ status: 409 });
    await create({ name: 'second' });
    await create({ name: 'third' });
    const beyond = await admin.send('POST', `${base}/channels`, input({ name: 'fourth' }));
    expect(beyond.text).toContain('The limit is 3 channels per workspace');
    expect(await admin.send('PUT', `${base}/channels/nothing`, { address: `\${WEBHOOK}` })).toMatchObject({
      status: 404,
    });
    expect(await admin.send('DELETE', `${base}/channels/nothing`)).toMatchObject({ status: 404 });
    expect(await admin.send('POST', `${base}/channels/nothing/test`)).toMatchObject({ status: 404 });
  });

  it('loses an agent that somebody else than an admin has changed, who is named in the audit trail', async () => {
    const { agent } = await api.runningSession(member, base);
    const change = (who: Person, body: object) => who.ok('PATCH', `/api/agents/${agent.id}`, body);
    const listed = async () =>
      (await admin.ok<{ channel: Channel }>('GET', `${base}/channels/reports`)).channel.agents;
    for (const body of [{ instructions: '{"steps":[],"x":1}' }, { name: `renamed-${randomUUID()}` }]) {
      await admin.send('DELETE', `${base}/channels/reports`);
      await create({ agents: [agent.id] });
      await change(admin, body);
      expect(await listed()).toHaveLength(1);
      await change(
        member,
        'name' in body ? { name: `again-${randomUUID()}` } : { instructions: '{"steps":[]}' },
      );
      expect(await listed()).toEqual([]);
    }
    const [, , data] = (await audited()).at(-1) ?? [];
    expect(data).toMatchObject({ agents: [] });
  });

  it('shows the messages of its own, not those of a removed one of its name', async () => {
    await create();
    const { message } = await admin.ok<{ message: ChannelMessage }>('POST', `${base}/channels/reports/test`);
    await settled(message.id);
    await admin.ok('DELETE', `${base}/channels/reports`);
    await create();
    const path = `${base}/channel-messages?channel=reports`;
    expect(await admin.ok('GET', path)).toMatchObject({ messages: [] });
    expect((await messages()).map(({ id }) => id)).toEqual([message.id]);
  });

  it('is tested by a message whose outcome is shown', async () => {
    await create();
    const test = () => admin.ok<{ message: ChannelMessage }>('POST', `${base}/channels/reports/test`);
    const { message } = await test();
    expect(message).toMatchObject({ kind: 'test', channel: 'reports', agent: null, session_id: null });
    expect(await settled(message.id)).toMatchObject({ status: 'delivered', attempts: 1, failure: null });
    webhook.answer(404);
    expect(await settled((await test()).message.id)).toMatchObject({ status: 'failed', failure: 'rejected' });
    const statuses = [];
    while (statuses.at(-1) !== 429 && statuses.length < 10) {
      statuses.push((await admin.send('POST', `${base}/channels/reports/test`)).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('a message that an agent posts', () => {
  it('is delivered, and tried again when the webhook fails, with one key and nothing of it in Temporal', async () => {
    const { session, agent } = await api.runningSession(admin, base);
    await create({ agents: [agent.id] });
    webhook.answer(500, 503);
    const answer = await post(session, { text: 'private words', channel: 'reports' });
    const id = String(Object(Object(answer.body)['result'])['message_id']);
    const message = await settled(id);
    expect(message).toMatchObject({
      ...{ status: 'delivered', attempts: 3, session_id: session.id, channel: 'reports' },
      agent: { id: agent.id, name: agent.name },
    });
    expect(webhook.received.map(({ headers }) => headers['idempotency-key'])).toEqual([id, id, id]);
    expect(webhook.received[0]?.message.text).toContain('│ private words');
    const handle = api.temporal.workflow.getHandle(channelMessageWorkflowId(id));
    expect(await handle.result()).toEqual({ status: 'delivered', failure: null });
    const history = readable(historyToJSON(await handle.fetchHistory()));
    expect(history).toContain(`{"messageId":"${id}"}`);
    for (const hidden of ['private words', secretPart, 'WEBHOOK', webhook.host]) {
      expect(history).not.toContain(hidden);
    }
    const rows = await api.db('audit_events').where({ workspace_id: workspaceId });
    expect(JSON.stringify([rows, await messages()])).not.toMatch(/private words|only-the-owner/);
  });

  it('to a channel is never claimed: only the platform writes that one was posted', async () => {
    const { session } = await api.runningSession(admin, base);
    const event = {
      id: randomUUID(),
      type: 'agent.channel_message',
      payload: { channel: 'reports', text: 'x' },
    };
    expect(await api.asSidecar(session.id, 'POST', 'events', event)).toMatchObject({ status: 422 });
  });

  it('to its conversation is in the transcript', async () => {
    const { session } = await api.runningSession(admin, base);
    await post(session, { text: 'Hello' });
    const { events } = await admin.ok<{ events: unknown[] }>('GET', `/api/sessions/${session.id}/events`);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'agent.message', payload: { text: 'Hello', channel: null } }),
    );
  });

  it('is delivered later when it was stored and its workflow was not started', async () => {
    const { session, agent } = await api.runningSession(admin, base);
    await create({ agents: [agent.id] });
    await post(session, { text: 'first', channel: 'reports' });
    const [first] = await messages();
    await settled(first?.id ?? '');
    const id = randomUUID();
    const row = await api.db('channels').where({ workspace_id: workspaceId }).first('id');
    // As an API that was killed between the two leaves it.
    await api.db('channel_messages').insert({
      ...{ id, workspace_id: workspaceId, channel_id: row?.id ?? '', channel_name: 'reports' },
      ...{ kind: 'test', status: 'pending' },
    });
    expect(await settled(id)).toMatchObject({ status: 'delivered' });
  });
});

describe('a permission request', () => {
  const url = (id: string) => `http://127.0.0.1/app/${base.split('/').at(-1)}/approvals/${id}`;

  it('is announced once on each channel that does so, by facts, with a link', async () => {
    const { session, agent } = await api.runningSession(admin, base);
    await create({ announce_permission_requests: true });
    await create({ name: 'second', announce_permission_requests: true });
    await create({ name: 'third' });
    const request_id = randomUUID();
    const refused_call = { server: 'files', tool: 'write_file', arguments: '{"content":"private words"}' };
    const answers = [
      await ask(session, { request_id, refused_call }),
      await ask(session, { request_id, refused_call }),
    ];
    expect(answers.map(requestOf)).toEqual([request_id, request_id]);
    await eventually(async () =>
      expect((await messages()).map(({ status }) => status)).toEqual(['delivered', 'delivered']),
    );
    const announced = await messages();
    expect(announced.map(({ channel, request_id: id }) => [channel, id]).sort()).toEqual([
      ['reports', request_id],
      ['second', request_id],
    ]);
    expect(webhook.received).toHaveLength(2);
    for (const { message } of webhook.received) {
      expect(message.text).toBe(
        `Permission request: agent "${agent.name}" asks for the scope \`files.write\` of the MCP server "files".\nDecide it here, signed in: ${url(request_id)}`,
      );
      expect(JSON.stringify(message)).not.toMatch(/evil|approve here|private words|write_file/);
    }
  });

  it('is not announced where nobody asked for it, nor to another workspace', async () => {
    const other = await api.workspace();
    await other.admin.ok('PUT', `${other.base}/secrets/WEBHOOK`, { value: webhook.url });
    await other.admin.ok('POST', `${other.base}/channels`, input({ announce_permission_requests: true }));
    const { session } = await api.runningSession(admin, base);
    await create();
    await ask(session);
    expect(await messages()).toEqual([]);
    expect(await other.admin.ok('GET', `${other.base}/channel-messages`)).toMatchObject({ messages: [] });
  });

  it('that was decided meanwhile is not announced any more', async () => {
    const { session } = await api.runningSession(admin, base);
    await create({ announce_permission_requests: true });
    let release: () => void = () => undefined;
    webhook.answer((_request, response) => {
      release = () => response.writeHead(500).end();
    });
    const id = requestOf(await ask(session));
    await eventually(() => expect(webhook.received).toHaveLength(1));
    await admin.ok('POST', `${base}/permission-requests/${id}/deny`, { reason: 'no' });
    release();
    const [message] = await messages();
    expect(await settled(message?.id ?? '')).toMatchObject({ failure: 'request_closed', attempts: 2 });
    expect(webhook.received).toHaveLength(1);
  });

  it('beyond what may wait for the channel is asked all the same', async () => {
    const { session } = await api.runningSession(admin, base);
    await create({ announce_permission_requests: true });
    webhook.answer(...Array.from({ length: 6 }, () => () => undefined));
    for (let waiting = 0; waiting < 5; waiting += 1) {
      requestOf(await ask(session, { details: { scope: `files.w${'x'.repeat(waiting)}` } }));
    }
    const id = requestOf(await ask(session));
    expect((await messages()).find(({ request_id }) => request_id === id)).toMatchObject({
      status: 'failed',
      failure: 'too_many_waiting',
      attempts: 0,
    });
    expect(await admin.ok('GET', `${base}/permission-requests/${id}`)).toMatchObject({
      permission_request: { status: 'open' },
    });
  });
});
