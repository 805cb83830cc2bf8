/** `post_message` on a real database: what it stores, for whom, and what it refuses. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import { changeChannel, createChannel } from '../../../commands/channels/channels.ts';
import { askForPermission } from '../../../commands/permission-requests/ask.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { channelInput } from '../../../contract/channel.ts';
import { callKeys } from '../../support/granted.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';

let tools: TestTools;
let caller: ToolCaller;

const limits = { RATE_SESSION_MESSAGES_PER_MINUTE: '5', LIMIT_WAITING_MESSAGES_PER_CHANNEL: '3' };

beforeAll(async () => {
  tools = await openTools(limits);
});
beforeEach(async () => {
  caller = await tools.caller();
});
afterAll(() => tools.close());

/** A channel of the caller's workspace that lists these agents. */
async function channel(name: string, agents: readonly string[], of = caller) {
  const tenant = tools.tenantOf(of);
  await tenant.secret('WEBHOOK', 'https://hooks.example/T0-only-the-owner-knows');
  const input = channelInput.parse({ name, address: `\${WEBHOOK}`, agents });
  const saved = await createChannel(tools.db, of.workspace_id, input, { userId: tenant.ada.id, limit: 50 });
  expect(saved.result).toBe('saved');
}
async function lists(name: string, agents: readonly string[], of = caller) {
  const settings = { kind: 'slack' as const, address: `\${WEBHOOK}`, announce_permission_requests: false };
  const key = { workspaceId: of.workspace_id, name };
  const changed = { ...settings, agents: [...agents] };
  expect(await changeChannel(tools.db, key, changed, tools.tenantOf(of).ada.id)).toMatchObject({
    result: 'saved',
  });
}
const post = (given: object, callId: string = randomUUID(), by = caller) =>
  tools.call(by, 'post_message', given, callId);
const posted = async (given: object, callId?: string, by = caller) => {
  const answer = await post(given, callId, by);
  if (answer.status !== 'ok') {
    throw new Error(JSON.stringify(answer));
  }
  return String(answer.result['message_id']);
};
const eventsOf = (of = caller) =>
  tools
    .db('session_events')
    .where({ session_id: of.id })
    .whereNot({ type: 'session.status_changed' })
    .orderBy('seq')
    .select('id', 'type', 'actor_id', 'payload');
const messagesOf = (of = caller) => tools.db('channel_messages').where({ session_id: of.id });
const auditOf = (of = caller) =>
  tools.db('audit_events').where({ session_id: of.id, event: 'session.message.posted' }).orderBy('position');

describe('a message to the conversation', () => {
  it('is a message of the agent in the transcript, and is sent to no channel', async () => {
    const id = await posted({ text: 'Hello <!here>' });
    expect(await eventsOf()).toEqual([
      {
        ...{ id, type: 'agent.message', actor_id: caller.agent_id },
        payload: { text: 'Hello <!here>', channel: null },
      },
    ]);
    expect(await messagesOf()).toEqual([]);
    expect(tools.begun).not.toContain(id);
    const [audited] = await auditOf();
    expect(audited).toMatchObject({
      resource_type: 'session',
      resource_id: caller.id,
      data: { message_id: id, characters: 13 },
    });
  });

  it('that is sent again is the same one', async () => {
    const callId = randomUUID();
    const [first, second] = await Promise.all([
      posted({ text: 'once' }, callId),
      posted({ text: 'once' }, callId),
    ]);
    expect(second).toBe(first);
    expect(await posted({ text: 'once' }, callId)).toBe(first);
    expect(await eventsOf()).toHaveLength(1);
    expect(await auditOf()).toHaveLength(1);
    expect(await posted({ text: 'once' })).not.toBe(first);
  });

  it('is another one for another session that uses the same id', async () => {
    const callId = randomUUID();
    const colleague = await tools.colleague(caller);
    expect(await posted({ text: 'mine' }, callId)).not.toBe(
      await posted({ text: 'theirs' }, callId, colleague),
    );
    expect(await eventsOf(colleague)).toHaveLength(1);
  });
});

describe('a message to a channel', () => {
  it('waits for its delivery, is in the transcript, and its text is in no audit event', async () => {
    await channel('reports', [caller.agent_id]);
    const id = await posted({ text: 'private words', channel: 'reports' });
    expect(await eventsOf()).toMatchObject([
      { id, type: 'agent.channel_message', payload: { channel: 'reports', text: 'private words' } },
    ]);
    expect(await messagesOf()).toMatchObject([
      { id, channel_name: 'reports', kind: 'message', status: 'pending', attempts: 0 },
    ]);
    expect(tools.begun).toContain(id);
    const audited = await auditOf();
    expect(audited).toMatchObject([{ resource_type: 'channel', resource_name: 'reports' }]);
    expect(JSON.stringify(audited)).not.toContain('private words');
    expect(tools.logged()).not.toContain('private words');
    expect(JSON.stringify(await messagesOf())).not.toContain('private words');
  });

  it('that is sent again is the same one, also when the agent was taken off the list meanwhile', async () => {
    await channel('reports', [caller.agent_id]);
    const callId = randomUUID();
    const id = await posted({ text: 'once', channel: 'reports' }, callId);
    await lists('reports', []);
    expect(await posted({ text: 'once', channel: 'reports' }, callId)).toBe(id);
    expect(await messagesOf()).toHaveLength(1);
    expect(await post({ text: 'once', channel: 'reports' })).toMatchObject({ code: 'not_allowed' });
  });

  it('is refused unless an admin lists the agent, in the same words whether the channel exists or not', async () => {
    await channel('others', [(await tools.colleague(caller)).agent_id]);
    const refusals = [
      await post({ text: 'hi', channel: 'others' }),
      await post({ text: 'hi', channel: 'nowhere' }),
    ];
    for (const refusal of refusals) {
      expect(refusal).toEqual({
        status: 'failed',
        code: 'not_allowed',
        message:
          'channel: no admin lists this agent there (it may post to no channel); ask an admin, or leave it out to post to the conversation',
      });
    }
    await channel('mine', [caller.agent_id]);
    expect(await post({ text: 'hi', channel: 'others' })).toMatchObject({
      message: expect.stringContaining('(it may post to mine)'),
    });
    expect(await eventsOf()).toEqual([]);
    expect(await tools.db('channel_messages').where({ workspace_id: caller.workspace_id })).toEqual([]);
  });

  it('of another workspace is as unknown as one that nobody made', async () => {
    const stranger = await tools.caller();
    await channel('shared-name', [stranger.agent_id], stranger);
    expect(await post({ text: 'hi', channel: 'shared-name' })).toMatchObject({ code: 'not_allowed' });
    await channel('shared-name', [caller.agent_id]);
    const id = await posted({ text: 'hi', channel: 'shared-name' });
    const [row] = await messagesOf();
    expect(row).toMatchObject({ id, workspace_id: caller.workspace_id });
    expect(await tools.db('channel_messages').where({ workspace_id: stranger.workspace_id })).toEqual([]);
  });

  it('waits beside a few others at most, which take no place of an announcement', async () => {
    await channel('reports', [caller.agent_id]);
    for (const text of ['1', '2', '3']) {
      await posted({ text, channel: 'reports' });
    }
    expect(await post({ text: '4', channel: 'reports' })).toEqual({
      status: 'failed',
      code: 'limit_reached',
      message: 'The limit is 3 messages that wait for one channel; try again later',
    });
    expect(await eventsOf()).toHaveLength(3);
    const places = { waitingPerChannel: 3, linkOrigin: null };
    await tools
      .db('channels')
      .where({ workspace_id: caller.workspace_id })
      .update({ announce_permission_requests: true });
    const request_id = randomUUID();
    const asked = {
      request_id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
    } as const;
    const limits = { openRequests: 10, denialMuteSeconds: 0, expirySeconds: 600 };
    const report = { ...asked, justification: '', refused_call: null };
    await askForPermission(tools.db, callKeys, caller.id, report, limits, places);
    const announced = await tools.db('channel_messages').where({ request_id }).select('status');
    expect(announced).toEqual([{ status: 'pending' }]);
  });

  it('is erased with its session', async () => {
    await channel('reports', [caller.agent_id]);
    const id = await posted({ text: 'hi', channel: 'reports' });
    await tools.db('sessions').where({ id: caller.id }).delete();
    expect(await tools.db('channel_messages').where({ id })).toEqual([]);
    expect(await tools.db('session_events').where({ id })).toEqual([]);
  });
});

describe('any message', () => {
  it('counts against what a session posts in a minute', async () => {
    for (const text of ['1', '2', '3', '4', '5']) {
      await posted({ text });
    }
    const callId = randomUUID();
    const beyond = await post({ text: '6' }, callId);
    expect(beyond).toEqual({
      status: 'failed',
      code: 'limit_reached',
      message: 'The limit is 5 messages a minute; try again in 12 s',
    });
    const colleague = await tools.colleague(caller);
    await posted({ text: 'its own minute' }, undefined, colleague);
    // A minute later there is as much as before.
    await tools
      .db('sessions')
      .where({ id: caller.id })
      .update({ messages_paced_until: tools.db.raw("messages_paced_until - interval '1 minute'") });
    await posted({ text: '6' }, callId);
  });

  it('is not posted from a session that has ended', async () => {
    const callId = randomUUID();
    const id = await posted({ text: 'in time' }, callId);
    await moveSession(tools.db, caller.id, { to: 'failed', reason: 'test' });
    expect(await post({ text: 'late' })).toMatchObject({
      code: 'not_allowed',
      message: 'The session has ended, so nothing can be posted from it',
    });
    expect(await posted({ text: 'in time' }, callId)).toBe(id);
  });

  it.each([
    ['an empty text', { text: '' }, 'text: must not be empty'],
    ['a text of spaces', { text: ' \n\t' }, 'text: must not be empty'],
    ['a long text', { text: 'x'.repeat(3001) }, 'text: '],
    ['NUL', { text: 'a\0' }, 'text: must be valid Unicode'],
    ['half a character', { text: 'a\ud800' }, 'text: must be valid Unicode'],
    ['no text', {}, 'text: '],
    ['a channel that cannot be', { text: 'a', channel: 'Re ports' }, 'channel: must be 1 to 40'],
    ['an address', { text: 'a', channel: 'https://hooks.example' }, 'channel: must be 1 to 40'],
    ['a further field', { text: 'a', link_names: true }, 'link_names: unknown field'],
  ])('is refused with %s', async (_what, given, message) => {
    expect(await post(given)).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
    expect(await eventsOf()).toEqual([]);
  });
});
