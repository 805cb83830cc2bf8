/**
 * A request that is sent again with its `Idempotency-Key`, because its answer was lost, has one
 * effect and the same answer.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CompactSign, decodeJwt, importPKCS8 } from 'jose';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import type { Answer, Person } from '../../support/api.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
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

const grantBody = (content: object = {}) => ({
  agent_subject_id: agent.id,
  grant_type: 'tool_scope',
  details: { scope: 'files.write' },
  scope: 'once',
  ...content,
});
const sent = (path: string, body: object, key: string, person = member) =>
  person.send('POST', base + path, body, { 'idempotency-key': key });
const rows = (table: string) => api.db(table).where({ workspace_id: workspaceId });
const reused = {
  status: 422,
  body: { error: { fields: [{ path: 'Idempotency-Key', code: 'reused' }] } },
};
const idOf = ({ body }: Answer) => Object.values(body as Record<string, { id: string }>)[0]?.id;

describe('POST /grants', () => {
  it('creates one grant for one key, whatever else has happened', async () => {
    const key = randomUUID();
    const first = await sent('/grants', grantBody(), key);
    expect(first.status).toBe(201);
    expect(await sent('/grants', grantBody(), key)).toMatchObject({ status: 201, body: first.body });
    await member.ok('DELETE', `${base}/grants/${idOf(first)}`);
    const revoked = await sent('/grants', grantBody(), key);
    expect(revoked).toMatchObject({ status: 201, body: { grant: { id: idOf(first), state: 'revoked' } } });
    expect(await rows('grants')).toHaveLength(1);
  });

  it('answers a permission request once, also when the same HTTP request is sent several times concurrently', async () => {
    const request_id = randomUUID();
    const asked = { grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'once' };
    await api.asSidecar(session.id, 'POST', 'permission-requests', {
      ...asked,
      request_id,
      justification: '',
      refused_call: null,
    });
    const key = randomUUID();
    const body = grantBody({ request_id });
    const answers = await Promise.all([1, 2, 3, 4].map(() => sent('/grants', body, key)));
    answers.push(await sent('/grants', body, key));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(new Set(answers.map(idOf)).size).toBe(1);
    expect(await rows('grants')).toHaveLength(1);
    expect(await sent('/grants', body, randomUUID())).toMatchObject({ status: 409 });
  });

  it('is carried out by the retry when the first attempt was not', async () => {
    const key = randomUUID();
    const first = await sent('/grants', grantBody(), key);
    await rows('grants').delete();
    const again = await sent('/grants', grantBody(), key);
    expect(again).toMatchObject({ status: 201, body: { grant: { id: idOf(first) } } });
  });

  it('has no effect once the approval has expired, and reports that', async () => {
    const key = randomUUID();
    await sent('/grants', grantBody(), key);
    await rows('grants').delete();
    const [decision] = await rows('decisions').where({ idempotency_key: key });
    const claims = { ...decodeJwt(decision.approval), exp: Math.floor(Date.now() / 1000) - 1 };
    const approval = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'EdDSA' })
      .sign(await importPKCS8(api.config.APPROVAL_PRIVATE_KEY, 'EdDSA'));
    await rows('decisions').where({ id: decision.id }).update({ approval });
    expect(await sent('/grants', grantBody(), key)).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'conflict',
          message: 'The approval expired before it was carried out; approve again',
        },
      },
    });
    expect(await rows('grants')).toEqual([]);
  });

  it('refuses a key of another request, and accepts it from another person', async () => {
    const key = randomUUID();
    await sent('/grants', grantBody(), key);
    expect(await sent('/grants', grantBody({ reason: 'other' }), key)).toMatchObject(reused);
    expect(await sent('/grants', grantBody({ reason: 'other' }), key, admin)).toMatchObject({ status: 201 });
    expect(await rows('grants')).toHaveLength(2);
  });

  it('does not store the key of a refused request', async () => {
    const key = randomUUID();
    expect(await sent('/grants', grantBody({ scope: 'persistent' }), key)).toMatchObject({ status: 403 });
    expect(await sent('/grants', grantBody(), key)).toMatchObject({ status: 201 });
  });

  it('creates a grant each time without a key', async () => {
    expect(await member.send('POST', `${base}/grants`, grantBody())).toMatchObject({ status: 201 });
    expect(await member.send('POST', `${base}/grants`, grantBody())).toMatchObject({ status: 201 });
    expect(await rows('grants')).toHaveLength(2);
  });

  it.each(['two words', '', 'x'.repeat(256), 'ü'])('refuses the key "%s"', async (key) => {
    expect(await sent('/grants', grantBody(), key)).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'Idempotency-Key' }] } },
    });
    expect(await rows('grants')).toEqual([]);
  });
});

describe('POST /sessions', () => {
  const body = () => ({ agent_id: agent.id, prompt: 'Do it again' });

  it('starts one session for one key, also when the same request is sent several times concurrently', async () => {
    const key = randomUUID();
    const answers = await Promise.all([1, 2, 3, 4].map(() => sent('/sessions', body(), key)));
    answers.push(await sent('/sessions', body(), key));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(new Set(answers.map(idOf)).size).toBe(1);
    expect(await rows('sessions').where({ prompt: 'Do it again' })).toHaveLength(1);
    const created = await rows('audit_events').where({
      event: 'session.created',
      session_id: idOf(answers[0] as Answer),
    });
    expect(created).toHaveLength(1);
  });

  it('refuses a key of another request, and accepts it from another person', async () => {
    const key = randomUUID();
    const first = await sent('/sessions', body(), key);
    expect(await sent('/sessions', { ...body(), prompt: 'Something else' }, key)).toMatchObject(reused);
    const theirs = await sent('/sessions', body(), key, admin);
    expect(theirs).toMatchObject({ status: 201, body: { session: { operator_id: admin.user.id } } });
    expect(idOf(theirs)).not.toBe(idOf(first));
  });
});
