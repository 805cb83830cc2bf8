/**
 * Approving with a passkey, through the API: what is registered, what is signed, and every answer that
 * approves nothing. The worker's own look at an answer is tested in `activities/passkeys`.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import type { Agent } from '../../../contract/agent.ts';
import type { Grant } from '../../../contract/grant.ts';
import {
  maxPasskeys,
  type Passkey,
  type PasskeyAssertion,
  type PasskeyChallenge,
} from '../../../contract/passkey.ts';
import type { PermissionRequest } from '../../../contract/permission-request.ts';
import type { Session } from '../../../contract/session.ts';
import { needsPasskey } from '../../../store/grants/passkey-needs.ts';
import type { Person } from '../../support/api.ts';
import { askPermission } from '../../support/ask-permission.ts';
import { frozenFor, replaceConfiguration } from '../../support/granted.ts';
import { type Answering, PasskeyDevice } from '../../support/passkey-device.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

const origin = 'http://localhost:8080';
let api: SessionApi;
let admin: Person;
let member: Person;
let base: string;
let session: Session;
let agent: Agent;

beforeAll(async () => {
  api = await startSessionApi({ PUBLIC_URL: origin });
});
beforeEach(async () => {
  ({ admin, member, base } = await api.workspace());
  ({ session, agent } = await api.runningSession(member, base));
});
afterAll(() => api.stop());

const entry = (changes: Record<string, unknown> = {}) => ({
  name: 'files',
  shape: { type: 'command', command: 'mcp-server-files', args: [] },
  manifest: { tool_scopes: { write_file: 'files.write' } },
  require_passkey: true,
  ...changes,
});
const register = async () =>
  (await admin.ok<{ mcp_server: { id: string } }>('POST', `${base}/mcp-servers`, entry())).mcp_server.id;
const replace = (changes: Record<string, unknown>) =>
  admin.ok('PUT', `${base}/mcp-servers/files`, entry(changes));

async function enroll(person = member, device = new PasskeyDevice(origin), said: Answering = {}) {
  const asked = await person.ok<PasskeyChallenge>('POST', '/api/me/passkey-challenges', {});
  const body = {
    challenge_id: asked.challenge_id,
    name: 'Laptop',
    ...device.register(asked.challenge, said),
  };
  const answer = await person.send('POST', '/api/me/passkeys', body);
  return { device, answer, body };
}
const enrolled = async (person = member) => {
  const { device, answer } = await enroll(person);
  expect(answer).toMatchObject({ status: 201, body: { passkey: { name: 'Laptop', origin } } });
  return device;
};
const passkeysOf = async (person = member) =>
  (await person.ok<{ passkeys: Passkey[] }>('GET', '/api/me/passkeys')).passkeys;
/** Everybody's proof of who they are is as old as with a cookie that a thief may have found. */
const age = () => api.db('sign_ins').update({ proven_at: api.db.raw(`now() - interval '11 minutes'`) });

const grantBody = (content: Record<string, unknown> = {}) => ({
  agent_subject_id: agent.id,
  grant_type: 'tool_scope',
  details: { scope: 'files.write' },
  scope: 'once',
  ...content,
});
const post = (content: Record<string, unknown> = {}, person = member) =>
  person.send('POST', `${base}/grants`, grantBody(content));
const begin = (content: Record<string, unknown> = {}, person = member) =>
  person.ok<PasskeyChallenge>('POST', `${base}/grant-challenges`, grantBody(content));
const withAnswer = ({ challenge_id }: PasskeyChallenge, answer: PasskeyAssertion) => ({
  passkey: { challenge_id, ...answer },
});
const refused = { status: 403, body: { error: { code: 'passkey_required' } } };
const ask = async (scope = 'session'): Promise<PermissionRequest> => {
  const path = `${base}/permission-requests/${await askPermission(api, session.id, { scope })}`;
  return (await member.ok<{ permission_request: PermissionRequest }>('GET', path)).permission_request;
};

describe('a person’s passkeys', () => {
  it('are registered, renamed and removed shortly after a sign-in, each with its audit event', async () => {
    await enrolled();
    const [passkey] = await passkeysOf();
    const path = `/api/me/passkeys/${passkey?.id}`;
    expect(await member.ok('PATCH', path, { name: 'Old laptop' })).toMatchObject({
      passkey: { name: 'Old laptop' },
    });
    expect(await admin.send('PATCH', path, { name: 'Mine' })).toMatchObject({ status: 404 });
    expect(await admin.send('DELETE', path)).toMatchObject({ status: 404 });
    expect(await passkeysOf(admin)).toEqual([]);
    await member.ok('DELETE', path);
    expect(await passkeysOf()).toEqual([]);
    const { audit_events } = await admin.ok<{ audit_events: { event: string }[] }>(
      'GET',
      `${base}/audit-events?limit=20`,
    );
    const events = audit_events.map(({ event }) => event).filter((event) => event.startsWith('passkey.'));
    expect(events).toEqual(['passkey.removed', 'passkey.renamed', 'passkey.registered']);
  });

  it('are changed by no cookie that is older than a fresh sign-in', async () => {
    await enrolled();
    const [passkey] = await passkeysOf();
    const asked = await member.ok<PasskeyChallenge>('POST', '/api/me/passkey-challenges', {});
    await age();
    const again = { status: 403, body: { error: { code: 'sign_in_again' } } };
    const made = new PasskeyDevice(origin).register(asked.challenge);
    const body = { challenge_id: asked.challenge_id, name: 'Thief', ...made };
    expect(await member.send('POST', '/api/me/passkeys', body)).toMatchObject(again);
    expect(await member.send('POST', '/api/me/passkey-challenges', {})).toMatchObject(again);
    const path = `/api/me/passkeys/${passkey?.id}`;
    expect(await member.send('PATCH', path, { name: 'Thief' })).toMatchObject(again);
    expect(await member.send('DELETE', path)).toMatchObject(again);
    expect(await passkeysOf()).toMatchObject([{ name: 'Laptop' }]);
    // As new as can be, and the provider asked for nothing.
    await api.db('sign_ins').update({ proven_at: null });
    expect(await member.send('POST', '/api/me/passkey-challenges', {})).toMatchObject(again);
  });

  it('are at most 20, of which one has to go before another comes', async () => {
    const { id: userId } = member.user;
    await enrolled();
    for (let count = 1; count < maxPasskeys - 1; count += 1) {
      const row = { id: randomUUID(), user_id: userId, name: 'Key', ...new PasskeyDevice(origin).stored };
      await api.db('passkeys').insert(row);
    }
    // Two at once take the one place that is left.
    const both = await Promise.all([enroll(), enroll()]);
    expect(both.map(({ answer }) => answer.status).sort()).toEqual([201, 409]);
    expect(await passkeysOf()).toHaveLength(20);
    expect(await enroll(admin)).toMatchObject({ answer: { status: 201 } });
    const [first] = await passkeysOf();
    await member.ok('DELETE', `/api/me/passkeys/${first?.id}`);
    await enrolled();
  });

  it('are not registered by an answer of another site, of nobody, twice, or to another’s challenge', async () => {
    const invalid = { status: 422, body: { error: { fields: [{ code: 'invalid_passkey' }] } } };
    const device = () => new PasskeyDevice(origin);
    expect((await enroll(member, device(), { origin: 'http://localhost:9' })).answer).toMatchObject(invalid);
    expect((await enroll(member, device(), { verified: false })).answer).toMatchObject(invalid);
    expect((await enroll(member, device(), { framed: true })).answer).toMatchObject(invalid);
    const { answer, body } = await enroll();
    expect(answer.status).toBe(201);
    expect(await member.send('POST', '/api/me/passkeys', body)).toMatchObject(invalid);
    const asked = await admin.ok<PasskeyChallenge>('POST', '/api/me/passkey-challenges', {});
    const made = device().register(asked.challenge);
    const stolen = { challenge_id: asked.challenge_id, name: 'Laptop', ...made };
    expect(await member.send('POST', '/api/me/passkeys', stolen)).toMatchObject(invalid);
    expect(await passkeysOf()).toHaveLength(1);
  });
});

describe('a scope that asks for a passkey', () => {
  it('is granted by its answer alone, for a request as beforehand, and the request says so', async () => {
    await register();
    const request = await ask();
    expect(request).toMatchObject({ needs_passkey: true });
    expect(await post({ request_id: request.id })).toMatchObject(refused);
    const device = await enrolled();
    for (const content of [{ request_id: request.id, reason: 'Fine' }, { scope: 'persistent' }, {}]) {
      const person = content.scope === 'persistent' ? admin : member;
      const own = person === admin ? await enrolled(admin) : device;
      expect(await post(content, person)).toMatchObject(refused);
      const asked = await begin(content, person);
      expect(asked).toMatchObject({ rp_id: 'localhost', credentials: [{ transports: ['internal'] }] });
      const answer = withAnswer(asked, own.answer(asked.challenge));
      const made = await person.ok<{ grant: Grant }>('POST', `${base}/grants`, {
        ...grantBody(content),
        ...answer,
      });
      expect(made.grant.id).toBe(asked.challenge_id);
      // The same again is neither another grant nor this one.
      expect(await post({ ...content, ...answer }, person)).not.toMatchObject({ status: 201 });
    }
    expect(await passkeysOf()).toMatchObject([{ last_used_at: expect.any(String) }]);
    expect(await api.db('grants').where({ agent_subject_id: agent.id })).toHaveLength(3);
    const used = await api
      .db('audit_events')
      .where({ workspace_id: session.workspace_id })
      .whereIn('event', ['grant.created', 'permission_request.approved']);
    const [passkey] = await passkeysOf();
    const [adminsPasskey] = await passkeysOf(admin);
    const ids = used.map(
      ({ data }) => z.object({ passkey: z.object({ id: z.string() }) }).parse(data).passkey.id,
    );
    expect(ids.toSorted()).toEqual([passkey?.id, passkey?.id, passkey?.id, adminsPasskey?.id].toSorted());
    expect(used[0]?.data).toMatchObject({ passkey: { name: 'Laptop' } });
  });

  it.each<[string, Answering]>([
    ['of another origin', { origin: 'http://localhost:9' }],
    ['of another site', { origin: 'https://agents.example.com' }],
    ['of nobody whom the device verified', { verified: false }],
    ['whose count did not grow', { count: 1 }],
    ['inside of another page', { framed: true }],
  ])('is not granted by an answer %s', async (_, said) => {
    await register();
    const device = await enrolled();
    const first = await begin();
    expect(await post(withAnswer(first, device.answer(first.challenge)))).toMatchObject({ status: 201 });
    const asked = await begin();
    expect(await post(withAnswer(asked, device.answer(asked.challenge, said)))).toMatchObject(refused);
  });

  it('is not granted by an answer to something else, however little it differs', async () => {
    await register();
    const [request, other] = [await ask(), await ask('persistent')];
    const device = await enrolled();
    const about = { request_id: request.id, reason: 'Fine' };
    const changes = [
      { request_id: other.id },
      { scope: 'session', session_id: session.id },
      { reason: 'Another reason' },
      { request_id: undefined },
      { agent_subject_id: undefined, user_subject_id: member.user.id },
    ];
    for (const change of changes) {
      const asked = await begin(about);
      const answer = withAnswer(asked, device.answer(asked.challenge));
      expect(await post({ ...about, ...change, ...answer })).toMatchObject(refused);
      // Its challenge is used up, for what it was made for as well.
      expect(await post({ ...about, ...answer })).toMatchObject(refused);
    }
    expect(await api.db('grants').where({ agent_subject_id: agent.id })).toEqual([]);
  });

  it('is not granted by a passkey of another person, a removed one, or after its time', async () => {
    await register();
    const device = await enrolled();
    const others = await enrolled(admin);
    const asked = await begin();
    expect(await post(withAnswer(asked, others.answer(asked.challenge)))).toMatchObject(refused);
    const ofAdmin = await begin({}, admin);
    expect(await post(withAnswer(ofAdmin, device.answer(ofAdmin.challenge)))).toMatchObject(refused);
    const late = await begin();
    await api
      .db('passkey_challenges')
      .where({ id: late.challenge_id })
      .update({ expires_at: api.db.fn.now() });
    expect(await post(withAnswer(late, device.answer(late.challenge)))).toMatchObject(refused);
    const before = await begin();
    const [passkey] = await passkeysOf();
    await member.ok('DELETE', `/api/me/passkeys/${passkey?.id}`);
    expect(await post(withAnswer(before, device.answer(before.challenge)))).toMatchObject(refused);
  });

  it('still asks where a running session gates on a scope that the entry has renamed', async () => {
    const entry_id = await register();
    await replace({ manifest: { tool_scopes: { write_file: 'files.renamed' } } });
    const frozen = frozenFor(session, agent);
    const servers = frozen.servers.map((server) => ({ ...server, entry_id }));
    await replaceConfiguration(api.db, { ...frozen, servers });
    expect(await post()).toMatchObject(refused);
  });

  it('still asks where a running session gates on a scope of an entry that was removed, until it ends', async () => {
    const entry_id = await register();
    const frozen = frozenFor(session, agent);
    const servers = frozen.servers.map((server) => ({ ...server, entry_id }));
    await replaceConfiguration(api.db, { ...frozen, servers });
    await admin.ok('DELETE', `${base}/mcp-servers/files`);
    expect(await post()).toMatchObject(refused);
    const secret = { secret_name: 'KEY' };
    expect(await needsPasskey(api.db, session.workspace_id, secret)).toBe(true);
    const removal = { workspace_id: session.workspace_id, event: 'workspace.mcp.removed' };
    expect(await api.db('audit_events').where(removal)).toMatchObject([
      { data: { require_passkey: { old: true, new: false } } },
    ]);
    // Another entry of that name, which asks for nothing, takes nothing from the session.
    await admin.ok('POST', `${base}/mcp-servers`, entry({ require_passkey: false }));
    expect(await post()).toMatchObject(refused);
    expect(await ask()).toMatchObject({ needs_passkey: true });
    await api
      .db('sessions')
      .where({ id: session.id })
      .update({ status: 'completed', ended_at: api.db.fn.now() });
    expect(await post()).toMatchObject({ status: 201 });
    expect(await needsPasskey(api.db, session.workspace_id, secret)).toBe(false);
    // Nothing is kept for sessions that have ended, or of an entry that none froze.
    await replace({ require_passkey: true });
    await admin.ok('DELETE', `${base}/mcp-servers/files`);
    expect(await api.db('removed_asking_entries').where({ workspace_id: session.workspace_id })).toEqual([]);
  });

  it('is granted once by one answer that is sent several times at once', async () => {
    await register();
    const device = await enrolled();
    const asked = await begin();
    const body = { ...grantBody(), ...withAnswer(asked, device.answer(asked.challenge)) };
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => member.send('POST', `${base}/grants`, body, key)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await api.db('grants').where({ agent_subject_id: agent.id })).toHaveLength(1);
  });

  it('is granted by an answer with the same key, once an approval without one was refused at its writing', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = (more = {}) => member.send('POST', `${base}/grants`, { ...grantBody(), ...more }, headers);
    expect(await send()).toMatchObject({ status: 201 });
    // As if nobody had carried it out yet.
    const decisions = () => api.db('decisions').where({ user_id: member.user.id });
    await api.db('grants').where({ agent_subject_id: agent.id }).delete();
    await decisions().update({ carried_out_at: null });
    await admin.ok('PATCH', base, { settings: { require_passkey: true } });
    expect(await send()).toMatchObject(refused);
    expect(await decisions()).toMatchObject([{ withdrawn_at: expect.any(String), idempotency_key: null }]);
    const device = await enrolled();
    const asked = await begin();
    expect(await send(withAnswer(asked, device.answer(asked.challenge)))).toMatchObject({ status: 201 });
  });

  it('asks for every secret that leads around it, too', async () => {
    await admin.ok('PUT', `${base}/secrets/KEY`, { value: 'hidden value' });
    const secret = { grant_type: 'agent_env', details: { secret_name: 'KEY' }, scope: 'persistent' };
    await register();
    expect(await post(secret, admin)).toMatchObject(refused);
    const key = { secret_name: 'KEY', endpoint: 'default' };
    expect(await needsPasskey(api.db, session.workspace_id, key)).toBe(true);
    await replace({ require_passkey: false });
    expect(await post(secret, admin)).toMatchObject({ status: 201 });
  });

  it('is let go by no cookie that is older than a fresh sign-in, and asked for by any', async () => {
    await register();
    await admin.ok('PATCH', base, { settings: { require_passkey: true } });
    await age();
    const again = { status: 403, body: { error: { code: 'sign_in_again' } } };
    const put = (changes: object) => admin.send('PUT', `${base}/mcp-servers/files`, entry({ ...changes }));
    expect(await put({ require_passkey: false })).toMatchObject(again);
    expect(await put({ manifest: { tool_scopes: {} } })).toMatchObject(again);
    expect(await put({ manifest: { tool_scopes: { write_file: 'files.other' } } })).toMatchObject(again);
    expect(await admin.send('DELETE', `${base}/mcp-servers/files`)).toMatchObject(again);
    const setting = { settings: { require_passkey: false } };
    expect(await admin.send('PATCH', base, setting)).toMatchObject(again);
    const more = { manifest: { tool_scopes: { write_file: 'files.write', move_file: 'files.move' } } };
    expect(await put({ ...more, network: 'none' })).toMatchObject({ status: 200 });
    await admin.ok('PATCH', base, { settings: { require_passkey: true } });
    expect(await post()).toMatchObject(refused);
  });

  it('asks from the moment in which an admin says so, and for every grant where the workspace does', async () => {
    await register();
    await replace({ require_passkey: false });
    expect(await post()).toMatchObject({ status: 201 });
    await replace({ require_passkey: true });
    expect(await post()).toMatchObject(refused);
    await replace({ require_passkey: false });
    const settings = (require_passkey: boolean) => ({ settings: { require_passkey } });
    expect(await member.send('PATCH', base, settings(true))).toMatchObject({ status: 403 });
    await admin.ok('PATCH', base, settings(true));
    expect(await post()).toMatchObject(refused);
    await admin.ok('PATCH', base, settings(false));
    expect(await post()).toMatchObject({ status: 201 });
  });
});
