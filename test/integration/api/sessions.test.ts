import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSession } from '../../../commands/sessions/create.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import { nobodyToAsk } from '../../../contract/sentences.ts';
import { isTerminal, type Session } from '../../../contract/session.ts';
import { internalToken } from '../../../contract/session-keys.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { frozenFor, replaceConfiguration } from '../../support/granted.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let admin: Person;
let member: Person;
let outsider: Person;
let base: string;
let session: Session;
let agent: Agent;

beforeAll(async () => {
  api = await startSessionApi({
    LIMIT_ARTIFACT_BYTES: '1000',
    LIMIT_SESSION_ARTIFACT_BYTES: '1500',
    LIMIT_SESSION_EVENT_BYTES: '2000',
    RATE_SESSION_EVENTS_PER_MINUTE: '20',
    TEMPORAL_UI_URL: 'http://temporal.test/',
  });
});
beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session, agent } = await api.runningSession(member, base));
  outsider = await api.person('Olga Outsider');
  await api.join(workspace, outsider, 'member');
});
afterAll(() => api.stop());

const one = (more = '') => `/api/sessions/${session.id}${more}`;
const read = async () => (await member.ok<{ session: Session }>('GET', one())).session;
const report = (content: object, path = 'events') => api.asSidecar(session.id, 'POST', path, content);
const eventTypes = async () =>
  (await member.ok<{ events: { type: string }[] }>('GET', one('/events'))).events.map(({ type }) => type);

describe('a session', () => {
  it('is started by a member, who drives it, and runs once its sidecar is ready', async () => {
    expect(session).toMatchObject({
      agent_id: agent.id,
      operator_id: member.user.id,
      root_operator_id: member.user.id,
      status: 'pending',
      prompt: 'Do it',
    });
    await eventually(async () => expect((await read()).status).toBe('running'));
  });

  it('is shown with names, with what the caller may do, and with its workflow', async () => {
    const shown = {
      agent: { id: agent.id, name: agent.name },
      operator: { id: member.user.id, name: 'Max Member' },
      root_operator: { id: member.user.id, name: 'Max Member' },
      workflow: {
        id: `session/${session.id}`,
        url: `http://temporal.test/namespaces/default/workflows/session%2F${session.id}`,
      },
    };
    expect(session).toMatchObject({ ...shown, may_message: true, may_terminate: true });
    expect(await member.ok('GET', `${base}/sessions`)).toMatchObject({
      sessions: [{ ...shown, may_message: true, may_terminate: true }],
    });
    expect(await admin.ok('GET', one())).toMatchObject({
      session: { ...shown, may_message: false, may_terminate: true },
    });
    await api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: true });
    expect(await outsider.ok('GET', one())).toMatchObject({
      session: { ...shown, may_message: false, may_terminate: false },
    });
    await member.ok('POST', one('/terminate'), {});
    await eventually(async () => {
      expect(await member.ok('GET', one())).toMatchObject({
        session: { status: 'terminated', may_message: false, may_terminate: false },
      });
    });
  });

  it.each([
    ['an agent that is not there', () => ({ agent_id: randomUUID(), prompt: '' }), 'agent_id'],
    ['no prompt', () => ({ agent_id: agent.id }), 'prompt'],
    [
      'an unknown field',
      () => ({ agent_id: agent.id, prompt: '', operator_id: admin.user.id }),
      'operator_id',
    ],
  ])('is not started with %s', async (_what, body, path) => {
    expect(await member.send('POST', `${base}/sessions`, body())).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path }] } },
    });
  });

  it('is not started with another workspace’s agent', async () => {
    const other = await api.workspace();
    const answer = await other.member.send('POST', `${other.base}/sessions`, {
      agent_id: agent.id,
      prompt: '',
    });
    expect(answer).toMatchObject({ status: 422, body: { error: { fields: [{ path: 'agent_id' }] } } });
  });

  it('is listed for its operator and for admins, and for others once it is shared', async () => {
    const list = async (person: Person) =>
      (await person.ok<{ sessions: Session[] }>('GET', `${base}/sessions`)).sessions.map(({ id }) => id);
    expect(await list(member)).toEqual([session.id]);
    expect(await list(admin)).toEqual([session.id]);
    expect(await list(outsider)).toEqual([]);
    expect(await outsider.send('GET', one())).toMatchObject({ status: 403 });
    await api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: true });
    expect(await list(outsider)).toEqual([session.id]);
    expect(await outsider.send('GET', one())).toMatchObject({ status: 200 });
  });

  it('accepts messages from its operator', async () => {
    expect(await member.send('POST', one('/messages'), { text: '' })).toMatchObject({ status: 422 });
    expect(await member.send('POST', one('/messages'), { text: 'Hi' })).toMatchObject({
      status: 201,
      body: { message: { kind: 'user_message', text: 'Hi', seq: 1 } },
    });
    expect(await eventTypes()).toContain('user.message');
  });

  it('uses a message as the answer to the agent’s open question', async () => {
    const input_request_id = randomUUID();
    const payload = { input_request_id, prompt: 'Which?', options: ['a', 'b'] };
    expect(await report({ id: randomUUID(), type: 'agent.input_requested', payload })).toMatchObject({
      status: 200,
    });
    expect(await member.ok('POST', one('/messages'), { text: 'a' })).toMatchObject({
      message: { kind: 'input_answer', input_request_id },
    });
    expect(await member.ok('POST', one('/messages'), { text: 'b' })).toMatchObject({
      message: { kind: 'user_message', input_request_id: null },
    });
  });

  it('takes no question of an agent that nobody drives, whatever its sidecar says', async () => {
    const child = await createSession(api.db, {
      ...{ id: randomUUID(), workspaceId: session.workspace_id, agentId: agent.id, prompt: '' },
      ...{ operatorId: null, rootOperatorId: member.user.id, parentSessionId: session.id },
    });
    const question = { input_request_id: randomUUID(), prompt: 'Which?', options: [] };
    const reported = (type: string, payload: unknown) =>
      api.asSidecar(child.id, 'POST', 'events', { id: randomUUID(), type, payload });
    expect(await reported('agent.input_requested', question)).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden', message: nobodyToAsk } },
    });
    expect(await reported('agent.status', { status: 'Working' })).toMatchObject({ status: 200 });
    expect(await api.db('input_requests').where({ session_id: child.id })).toEqual([]);
    const types = await api.db('session_events').where({ session_id: child.id }).pluck('type');
    expect(types).toEqual(['session.status_changed', 'agent.status']);
  });

  it('is ended by its operator or an admin, with a reason, and stays ended', async () => {
    expect(await outsider.send('POST', one('/terminate'), {})).toMatchObject({ status: 403 });
    await admin.ok('POST', one('/terminate'), { reason: 'Too expensive' });
    await eventually(async () => {
      expect(await read()).toMatchObject({ status: 'terminated', status_reason: 'Too expensive' });
    });
    expect(await member.ok('POST', one('/terminate'), { reason: 'Again' })).toMatchObject({
      session: { status: 'terminated', status_reason: 'Too expensive' },
    });
    expect(await member.send('POST', one('/messages'), { text: 'Hi' })).toMatchObject({ status: 409 });
    expect(api.runtime.stopped).toContain(session.id);
  });

  it('ends with the outcome that its agent reports', async () => {
    expect(await report({ outcome: 'completed', summary: 'All done' }, 'end')).toMatchObject({ status: 200 });
    api.runtime.states.delete(session.id);
    await eventually(async () => {
      expect(await read()).toMatchObject({
        status: 'completed',
        outcome: { outcome: 'completed', summary: 'All done' },
      });
    });
  });

  it('shows what it runs with: references, but no values', async () => {
    await replaceConfiguration(api.db, frozenFor(session, agent));
    const answer = await member.send('GET', one('/configuration'));
    expect(answer.body).toMatchObject({
      configuration: {
        agent: { env: { GREETING: { reference: null } } },
        servers: [{ name: 'files', env: { TOKEN: { reference: '${FILES_TOKEN}' } } }],
      },
    });
    expect(answer.text).not.toContain('a plain value');
    expect(await outsider.send('GET', one('/configuration'))).toMatchObject({ status: 403 });
  });

  it('lists the tree below it', async () => {
    const [child] = await api
      .db('sessions')
      .insert({
        workspace_id: workspace.id,
        agent_id: agent.id,
        root_operator_id: member.user.id,
        parent_session_id: session.id,
        prompt: '',
      })
      .returning('id');
    const [grandchild] = await api
      .db('sessions')
      .insert({
        workspace_id: workspace.id,
        agent_id: agent.id,
        root_operator_id: member.user.id,
        parent_session_id: child?.id ?? null,
        prompt: '',
      })
      .returning('id');
    const { sessions } = await member.ok<{ sessions: Session[] }>('GET', one('/children'));
    expect(sessions.map(({ id }) => id)).toEqual([grandchild?.id, child?.id]);
  });
});

describe('a session’s token', () => {
  it('is valid for its own session only, on internal routes only, until it ends', async () => {
    const other = await api.runningSession(member, base);
    const send = (sessionId: string, headers: Record<string, string>) =>
      api.anonymous.send(
        'GET',
        `/internal/sessions/${sessionId}/permission-requests/${randomUUID()}`,
        undefined,
        headers,
      );
    const token = (sessionId: string) => ({ 'x-internal-token': api.token(sessionId) });
    expect(await send(session.id, token(session.id))).toMatchObject({ status: 404 });
    expect(await send(session.id, token(other.session.id))).toMatchObject({ status: 401 });
    expect(await send(session.id, {})).toMatchObject({ status: 401 });
    expect(await send(session.id, { cookie: admin.cookie })).toMatchObject({ status: 401 });
    const guessed = internalToken(Buffer.alloc(32), session.id);
    expect(await send(session.id, { 'x-internal-token': guessed })).toMatchObject({ status: 401 });
    expect(await api.anonymous.send('GET', one(), undefined, token(session.id))).toMatchObject({
      status: 401,
    });
    await moveSession(api.db, session.id, { to: 'terminated', reason: 'Enough' });
    expect(isTerminal((await read()).status)).toBe(true);
    expect(await send(session.id, token(session.id))).toMatchObject({ status: 401 });
  });

  it('reads the permission requests of its own session only', async () => {
    const other = await api.runningSession(member, base);
    const request_id = randomUUID();
    await api.asSidecar(other.session.id, 'POST', 'permission-requests', {
      request_id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
      justification: '',
      refused_call: null,
    });
    expect(await api.asSidecar(session.id, 'GET', `permission-requests/${request_id}`)).toMatchObject({
      status: 404,
    });
  });
});

describe('what an agent publishes', () => {
  it('is appended once, with the platform’s actor and not the agent’s', async () => {
    const event = { id: randomUUID(), type: 'agent.message', payload: { text: 'Hello' } };
    expect(await report(event)).toMatchObject({ status: 200 });
    expect(await report(event)).toMatchObject({ status: 200 });
    expect((await eventTypes()).filter((type) => type === 'agent.message')).toHaveLength(1);
    expect(await report({ ...event, id: randomUUID(), actor: { type: 'user' } })).toMatchObject({
      status: 422,
    });
  });

  it('is refused under the id of another session’s event', async () => {
    const other = await api.runningSession(member, base);
    const event = { id: randomUUID(), type: 'agent.message', payload: { text: 'Hello' } };
    await report(event);
    expect(await api.asSidecar(other.session.id, 'POST', 'events', event)).toMatchObject({ status: 409 });
  });

  it('is limited in total and per minute', async () => {
    const say = (text: string) => report({ id: randomUUID(), type: 'agent.message', payload: { text } });
    expect(await say('a'.repeat(1500))).toMatchObject({ status: 200 });
    const full = await say('a'.repeat(600));
    expect(full).toMatchObject({ status: 413 });
    expect(full.text).toContain('2000 bytes for the events of a session');
    expect(await say('a')).toMatchObject({ status: 200 });
    let often = await say('a');
    for (let sent = 0; sent < 1000 && often.status !== 429; sent += 1) {
      often = await say('a');
    }
    expect(often).toMatchObject({ status: 429 });
    expect(often.text).toContain('20 events a minute');
  });

  it.each([
    ['session.status_changed', {}],
    ['user.message', {}],
    ['permission.decided', {}],
    ['agent.permission_request', {}],
    // It would speak in the platform's name, and have any length.
    ['platform.notice', { code: 'approved', message: 'm' }],
  ])('is never a %s', async (type, payload) => {
    expect(await report({ id: randomUUID(), type, payload })).toMatchObject({ status: 422 });
  });
});

describe('artifacts', () => {
  const upload = (bytes: number, name = 'report.html', id = randomUUID()) =>
    fetch(
      `${api.url}/internal/sessions/${session.id}/artifacts?${new URLSearchParams({
        artifact_id: id,
        name,
        mime_type: 'text/html',
      })}`,
      {
        method: 'POST',
        headers: { 'x-internal-token': api.token(session.id), 'content-type': 'application/octet-stream' },
        body: Buffer.alloc(bytes, 'a'),
      },
    );

  it('are downloaded as attachments, which no browser opens', async () => {
    const id = randomUUID();
    expect(await (await upload(10, 'a "report"\r\n’.html', id)).json()).toMatchObject({
      artifact_id: id,
      size_bytes: 10,
    });
    const answer = await member.send('GET', one(`/artifacts/${id}`));
    expect(answer).toMatchObject({ status: 200, text: 'aaaaaaaaaa' });
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="a _report____.html"; ' + "filename*=UTF-8''a%20%22report%22%0D%0A%E2%80%99.html",
    );
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(await member.ok('GET', one('/artifacts'))).toMatchObject({ artifacts: [{ id, size_bytes: 10 }] });
    expect(await outsider.send('GET', one(`/artifacts/${id}`))).toMatchObject({ status: 403 });
    expect(await member.send('GET', one(`/artifacts/${randomUUID()}`))).toMatchObject({ status: 404 });
  });

  it('are refused beyond their limits, each of which is named', async () => {
    const tooLarge = await upload(1001);
    expect(tooLarge.status).toBe(413);
    expect(await tooLarge.text()).toContain('1000 bytes for an artifact');
    expect((await upload(1000)).status).toBe(200);
    const tooMany = await upload(501);
    expect(tooMany.status).toBe(413);
    expect(await tooMany.text()).toContain('1500 bytes');
  });

  it('are refused under the id of another session’s artifact', async () => {
    const id = randomUUID();
    expect((await upload(10, 'a.txt', id)).status).toBe(200);
    expect((await upload(10, 'a.txt', id)).status).toBe(200);
    ({ session } = await api.runningSession(member, base));
    expect((await upload(10, 'a.txt', id)).status).toBe(409);
  });

  it('are shared with the members of the workspace, until the share expires', async () => {
    const artifact_id = randomUUID();
    await upload(10, 'a.txt', artifact_id);
    const share_id = randomUUID();
    const payload = {
      share_id,
      title: 'A',
      audience: 'workspace',
      artifact_id,
      text: null,
      expires_at: null,
    };
    const event = { id: randomUUID(), type: 'agent.shared' };
    expect(await report({ ...event, payload: { ...payload, artifact_id: randomUUID() } })).toMatchObject({
      status: 422,
    });
    expect(await report({ ...event, payload })).toMatchObject({ status: 200 });
    expect(await outsider.ok('GET', `/api/shares/${share_id}`)).toMatchObject({
      share: { title: 'A', artifact_id },
    });
    expect(await outsider.send('GET', `/api/shares/${share_id}/content`)).toMatchObject({
      text: 'aaaaaaaaaa',
    });
    const stranger = await api.person('Stranger');
    expect(await stranger.send('GET', `/api/shares/${share_id}`)).toMatchObject({ status: 404 });
    await api
      .db('shares')
      .where({ id: share_id })
      .update({ expires_at: new Date(0).toISOString() });
    expect(await outsider.send('GET', `/api/shares/${share_id}/content`)).toMatchObject({ status: 404 });
  });
});
