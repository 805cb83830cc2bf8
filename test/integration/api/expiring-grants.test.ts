/** Grants with an end of their own, as people make, send again and read them. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import type { Answer, Person } from '../../support/api.ts';
import { frozenFor, replaceConfiguration } from '../../support/granted.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

interface Listed {
  id: string;
  state: string;
  expires_at: string | null;
  use_count: number;
  last_used_at: string | null;
}

const capSeconds = 7200;
const api = useSessionApi({ LIMIT_PERSISTENT_GRANT_SECONDS: String(capSeconds) });
let workspaceId: string;
let base: string;
let admin: Person;
let member: Person;
let session: Session;
let agent: Agent;

beforeEach(async () => {
  const made = await api.workspace();
  ({ base, admin, member } = made);
  workspaceId = made.workspace.id;
  ({ session, agent } = await api.runningSession(member, base));
});

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
const body = (content: object = {}) => ({
  agent_subject_id: agent.id,
  grant_type: 'tool_scope',
  details: { scope: 'files.write' },
  scope: 'persistent',
  ...content,
});
const post = (content: object = {}, headers: Record<string, string> = {}) =>
  admin.send('POST', `${base}/grants`, body(content), headers);
const rows = (table: string) => api.db(table).where({ workspace_id: workspaceId });
const granted = ({ body: answered }: Answer) => (answered as { grant: Listed }).grant;
const listed = async (query = '') =>
  (await member.ok<{ grants: Listed[] }>('GET', `${base}/grants${query}`)).grants;
/** What nobody can do but a superuser: no test waits for a time that a slow machine would miss. */
const endTimeOf = (id: string): Promise<void> =>
  api.db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await trx.raw(`update grants set expires_at = now() - interval '1 second' where id = ?`, [id]);
  });

describe('POST /grants with expires_at', () => {
  it('makes a grant that ends then, signed with that time', async () => {
    const expires_at = inSeconds(3600);
    const answer = await post({ expires_at });
    expect(answer).toMatchObject({ status: 201, body: { grant: { state: 'active', expires_at } } });
    expect(await listed()).toMatchObject([{ id: granted(answer).id, expires_at, last_used_at: null }]);
    const decision = await rows('decisions').first('approval');
    const approval = String(decision?.approval);
    expect(decodeJwt(approval)).toMatchObject({ grant: { id: granted(answer).id, expires_at } });
  });

  it.each([
    ['no end is named', {}],
    ['null is named', { expires_at: null }],
  ])('ends as late as the installation allows where %s', async (_which, content) => {
    const before = Date.now();
    const { expires_at: at } = granted(await post(content));
    expect(Date.parse(at ?? '')).toBeGreaterThanOrEqual(before + capSeconds * 1000);
    expect(Date.parse(at ?? '')).toBeLessThanOrEqual(Date.now() + capSeconds * 1000);
  });

  const refused: [string, string, () => string, string][] = [
    ['that is over', 'persistent', () => inSeconds(-1), 'must be in the future'],
    ['beyond what is allowed', 'persistent', () => inSeconds(capSeconds + 60), 'must not be more than 7200'],
    ['for one call', 'once', () => inSeconds(60), 'must be absent when scope is once'],
    ['for a session', 'session', () => inSeconds(60), 'must be absent when scope is session'],
    ['that is no time', 'persistent', () => 'tomorrow', ''],
    ['with an offset', 'persistent', () => '2090-01-01T00:00:00+02:00', ''],
  ];
  it.each(refused)('refuses an end %s', async (_which, scope, at, message) => {
    const session_id = scope === 'session' ? session.id : null;
    expect(await post({ scope, session_id, expires_at: at() })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'expires_at', message: expect.stringContaining(message) }] } },
    });
    expect([await rows('grants'), await rows('decisions')]).toEqual([[], []]);
  });

  it('ends no other grant at the installation’s limit', async () => {
    expect(await post({ scope: 'once' })).toMatchObject({ body: { grant: { expires_at: null } } });
    expect(await post({ scope: 'session', session_id: session.id })).toMatchObject({
      body: { grant: { expires_at: null } },
    });
  });

  it('is one grant for one key, also once it has expired, and another end needs another key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const expires_at = inSeconds(3600);
    const first = await post({ expires_at }, headers);
    expect(await post({ expires_at }, headers)).toMatchObject({ status: 201, body: first.body });
    expect(await post({ expires_at: inSeconds(1800) }, headers)).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'Idempotency-Key', code: 'reused' }] } },
    });
    await endTimeOf(granted(first).id);
    expect(await post({ expires_at }, headers)).toMatchObject({
      status: 201,
      body: { grant: { id: granted(first).id, state: 'expired' } },
    });
    expect(await rows('grants')).toHaveLength(1);
  });

  it('is not carried out with a later end than was signed', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const expires_at = inSeconds(3600);
    await post({ expires_at }, headers);
    await rows('grants').delete();
    const decision = await rows('decisions').first('id', 'approval');
    const [id, approval] = [String(decision?.id), String(decision?.approval)];
    const [head, , signature] = approval.split('.');
    const claims = decodeJwt<{ grant: object }>(approval);
    const changed = { ...claims, grant: { ...claims.grant, expires_at: null } };
    const forged = `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`;
    await rows('decisions').where({ id }).update({ approval: forged });
    expect((await post({ expires_at }, headers)).status).toBeGreaterThanOrEqual(400);
    expect(await rows('grants')).toEqual([]);
    // The control: what was signed is carried out.
    await rows('decisions').where({ id }).update({ approval });
    expect(await post({ expires_at }, headers)).toMatchObject({
      status: 201,
      body: { grant: { expires_at } },
    });
  });
});

describe('a grant whose time is over', () => {
  const check = async (content: object) => {
    const asked = { call_id: randomUUID(), server: 'files', tool: 'write_file', ...content };
    const one = await api.asSidecar(session.id, 'POST', 'tool-calls/check', asked);
    const many = await api.asSidecar(session.id, 'POST', 'tool-calls/checks', { checks: [asked] });
    expect(many.body).toEqual({ answers: [{ call_id: asked.call_id, answer: one.body }] });
    return one.body;
  };
  const required = { decision: 'refused', code: 'permission_required', scope: 'files.write' };

  beforeEach(async () => {
    await replaceConfiguration(api.db, frozenFor(session, agent));
  });

  it('is listed as expired, with its last use, and cannot be revoked', async () => {
    const { id } = granted(await post({ expires_at: inSeconds(3600) }));
    await check({});
    const [used] = await listed();
    expect(used).toMatchObject({ id, state: 'active', use_count: 1, last_used_at: expect.any(String) });
    await endTimeOf(id);
    expect(await listed('?state=expired')).toMatchObject([
      { id, state: 'expired', use_count: 1, last_used_at: used?.last_used_at, may_revoke: false },
    ]);
    expect(await listed('?state=active')).toEqual([]);
    await member.ok('GET', `${base}/grants/${id}`);
  });

  it('lets what passed keep its answer, and neither what was not forwarded nor another call pass', async () => {
    const { id } = granted(await post({ expires_at: inSeconds(3600) }));
    const passed = { decision: 'allowed', granted_via: id };
    const call_id = randomUUID();
    expect(await check({ call_id })).toEqual(passed);
    expect(await check({ call_id, unforwarded: true })).toEqual(passed);
    await endTimeOf(id);
    expect(await check({ call_id })).toEqual(passed);
    expect(await check({ call_id, unforwarded: true })).toEqual(required);
    expect(await check({})).toEqual(required);
    // Another grant lets nothing pass under the id of a call that passed on the first.
    await post({ expires_at: inSeconds(3600) });
    expect(await check({ call_id, unforwarded: true })).toEqual(required);
  });
});
