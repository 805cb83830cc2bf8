import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeGrant } from '../../../commands/grants/write.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { readRequestedEnding } from '../../../store/sessions/sessions.ts';
import { upsertUser } from '../../../store/users/users.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const auditOf = async (workspaceId: string) =>
  (await api.db('audit_events').where({ workspace_id: workspaceId }).orderBy('position')).map(
    ({ event, data, actor_id }) => ({ event, data, actor_id }),
  );

describe('workspaces', () => {
  it('are created by anyone who is signed in, who becomes admin', async () => {
    const person = await api.person();
    const slug = `w-${randomUUID().slice(0, 8)}`;
    const answer = await person.send('POST', '/api/workspaces', { slug, name: '  Team  ' });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        workspace: {
          slug,
          name: 'Team',
          settings: {
            log_tool_payloads: false,
            allow_runtime_permission_requests: true,
            keep_refused_calls: true,
            members_grant_persistent: false,
            require_passkey: false,
          },
        },
      },
    });
    expect(await person.ok('GET', '/api/me')).toEqual({
      user: person.user,
      workspaces: [
        {
          ...{ id: expect.any(String), slug, name: 'Team', role: 'admin' },
          ...{ closed_at: null, reopenable_until: null },
        },
      ],
    });
    const { workspace } = answer.body as { workspace: { id: string } };
    expect((await auditOf(workspace.id)).map(({ event }) => event)).toEqual([
      'workspace.created',
      'workspace.member.added',
    ]);
    expect(await person.send('POST', '/api/workspaces', { slug, name: 'x' })).toMatchObject({ status: 409 });
  });

  it('have settings that an admin changes one at a time; only what changed is recorded', async () => {
    const { workspace, admin, base } = await api.workspace();
    const change = { settings: { members_grant_persistent: true, log_tool_payloads: false } };
    expect(await admin.ok('PATCH', base, change)).toMatchObject({
      workspace: { settings: { members_grant_persistent: true, allow_runtime_permission_requests: true } },
    });
    await admin.ok('PATCH', base, change);
    const events = (await auditOf(workspace.id)).filter(
      ({ event }) => event === 'workspace.settings_updated',
    );
    expect(events.map(({ data }) => data)).toEqual([{ changed: { members_grant_persistent: true } }]);
    expect(await admin.send('PATCH', base, { settings: { other: true } })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'settings.other', code: 'unknown_field' }] } },
    });
  });

  it('keep records of tool calls for the time that an admin sets, but at least the operator’s minimum', async () => {
    const { workspace, admin, base } = await api.workspace();
    const set = (days: number | null) =>
      admin.send('PATCH', base, { settings: { tool_call_retention_days: days } });
    expect(await set(29)).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'settings.tool_call_retention_days', code: 'too_small' }] } },
    });
    for (const days of [30, 90, null]) {
      expect(await set(days)).toMatchObject({
        body: { workspace: { settings: { tool_call_retention_days: days } } },
      });
    }
    const changes = (await auditOf(workspace.id)).filter(
      ({ event }) => event === 'workspace.settings_updated',
    );
    expect(changes.map(({ data }) => data)).toEqual(
      [30, 90, null].map((tool_call_retention_days) => ({ changed: { tool_call_retention_days } })),
    );
  });

  it('are not found by people who are not members', async () => {
    const { base } = await api.workspace();
    const stranger = await api.person();
    const answer = await stranger.send('GET', base);
    const absent = await stranger.send('GET', '/api/workspaces/never-was');
    expect(answer.status).toBe(404);
    const { request_id: _, ...error } = (answer.body as { error: { request_id: string } }).error;
    expect(absent.body).toMatchObject({ error });
  });
});

describe('members', () => {
  it('are added, and have their role changed, by admins, and are listed by every member', async () => {
    const { workspace, admin, member, base } = await api.workspace();
    const newcomer = await api.person('New Comer');
    const path = `${base}/members/${newcomer.user.id}`;
    const seen = await member.ok<{ members: { user: { email: string | null } }[] }>('GET', `${base}/members`);
    expect(seen.members.map(({ user }) => user.email)).toEqual([null, null]);
    expect(await admin.ok('PUT', path, { role: 'member' })).toMatchObject({
      member: { user: newcomer.user, role: 'member' },
    });
    await admin.ok('PUT', path, { role: 'member' });
    await admin.ok('PUT', path, { role: 'admin' });
    const events = (await auditOf(workspace.id)).slice(-2);
    expect(events).toEqual([
      { event: 'workspace.member.added', data: { role: 'member' }, actor_id: admin.user.id },
      {
        event: 'workspace.member.role_changed',
        data: { from: 'member', role: 'admin' },
        actor_id: admin.user.id,
      },
    ]);
    const first = await admin.ok<{ members: unknown[]; next_cursor: string }>(
      'GET',
      `${base}/members?limit=2`,
    );
    const rest = await admin.ok<{ members: unknown[] }>('GET', `${base}/members?cursor=${first.next_cursor}`);
    expect([first.members.length, rest.members.length]).toEqual([2, 1]);
    // A cursor can be decoded: it shows members no address either.
    expect(Buffer.from(first.next_cursor, 'base64url').toString()).not.toContain('@');
  });

  it('must be existing users, with a valid role', async () => {
    const { admin, base } = await api.workspace();
    expect(await admin.send('PUT', `${base}/members/${randomUUID()}`, { role: 'member' })).toMatchObject({
      status: 404,
    });
    expect(await admin.send('DELETE', `${base}/members/${randomUUID()}`)).toMatchObject({ status: 404 });
    const path = `${base}/members/${admin.user.id}`;
    expect(await admin.send('PUT', path, { role: 'owner' })).toMatchObject({ status: 422 });
    expect(await admin.send('PUT', `${base}/members/x`, { role: 'admin' })).toMatchObject({ status: 422 });
  });

  it('never lose their last admin, also when two admins remove each other concurrently', async () => {
    const conflict = { status: 409, body: { error: { code: 'conflict' } } };
    for (let round = 0; round < 5; round += 1) {
      const { workspace, admin, member: other, base } = await api.workspace();
      const self = `${base}/members/${admin.user.id}`;
      expect(await admin.send('DELETE', self)).toMatchObject(conflict);
      expect(await admin.send('PUT', self, { role: 'member' })).toMatchObject(conflict);
      await api.join(workspace, other, 'admin');
      await Promise.all([
        admin.send('DELETE', `${base}/members/${other.user.id}`),
        other.send('PUT', self, { role: 'member' }),
      ]);
      const admins = await api.db('members').where({ workspace_id: workspace.id, role: 'admin' });
      expect(admins).toHaveLength(1);
    }
  });

  it('lose access, grants and running sessions when they are removed, in this workspace only', async () => {
    const [here, elsewhere] = [await api.workspace(), await api.workspace()];
    const person = here.member;
    await api.join(elsewhere.workspace, person, 'member');
    const ended = await withGrantAndSession(here, person);
    const kept = await withGrantAndSession(elsewhere, person);

    const path = `${here.base}/members/${person.user.id}`;
    expect(await here.admin.ok('DELETE', path)).toEqual({ ok: true });

    expect(await person.send('GET', here.base)).toMatchObject({ status: 404 });
    expect(await person.send('GET', elsewhere.base)).toMatchObject({ status: 200 });
    const revokedAt = async (grantId: string) =>
      (await api.db('grants').where({ id: grantId }).first())?.revoked_at;
    expect(await revokedAt(ended.grantId)).not.toBeNull();
    expect(await revokedAt(kept.grantId)).toBeNull();
    expect(await readRequestedEnding(api.db, ended.sessionId)).toMatchObject({
      by: { type: 'user', id: here.admin.user.id },
      status: 'terminated',
    });
    expect(await readRequestedEnding(api.db, kept.sessionId)).toBeNull();
    expect(api.signalled).toContain(ended.sessionId);
    expect(api.signalled).not.toContain(kept.sessionId);
    expect((await auditOf(here.workspace.id)).slice(-2).map(({ event }) => event)).toEqual([
      'grant.revoked',
      'workspace.member.removed',
    ]);

    // An interrupted removal is finished by the same request: the session has not ended yet,
    // so it is notified again.
    api.signalled.length = 0;
    await here.admin.ok('DELETE', path);
    expect(api.signalled).toEqual([ended.sessionId]);
  });

  async function withGrantAndSession(
    { workspace, admin, base }: { workspace: { id: string }; admin: Person; base: string },
    person: Person,
  ) {
    const body = { name: 'a', run: { type: 'builtin', name: 'scripted' } };
    const { agent } = await admin.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body);
    const [grantId, sessionId] = [randomUUID(), randomUUID()];
    await api.db.transaction((trx) =>
      writeGrant(trx, {
        id: grantId,
        workspace_id: workspace.id,
        user_subject_id: person.user.id,
        agent_subject_id: null,
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope: 'persistent',
        session_id: null,
        reason: null,
        granted_by_user_id: admin.user.id,
        granted_by_role: 'admin',
        request_id: null,
        bound_call_digest: null,
        expires_at: null,
      }),
    );
    await createSession(api.db, {
      id: sessionId,
      workspaceId: workspace.id,
      agentId: agent.id,
      operatorId: person.user.id,
      rootOperatorId: person.user.id,
      parentSessionId: null,
      prompt: '',
    });
    return { grantId, sessionId };
  }
});

describe('signing in for the demo', () => {
  it('accepts demo users only, and sets an HttpOnly cookie for this site', async () => {
    const person = await api.person();
    const answer = await api.anonymous.send('POST', '/api/auth/demo-sign-in', {
      email: person.user.email.toUpperCase(),
    });
    expect(answer).toMatchObject({ status: 200, body: { user: person.user } });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^platform_session=[\w.-]+; path=\/; expires=[^;]+; samesite=lax; httponly$/),
    ]);
    const foreign = { issuer: 'https://idp.test', subject: 's', email: 'eve@demo.test', name: 'Eve' };
    await upsertUser(api.db, foreign);
    expect(
      await api.anonymous.send('POST', '/api/auth/demo-sign-in', { email: foreign.email }),
    ).toMatchObject({ status: 401 });
    expect(await api.anonymous.send('POST', '/api/auth/demo-sign-in', { email: 'no' })).toMatchObject({
      status: 422,
    });
  });

  it('ends with sign-out, for this cookie only', async () => {
    const person = await api.person();
    const again = await api.anonymous.send('POST', '/api/auth/demo-sign-in', { email: person.user.email });
    const other = { cookie: (again.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' };
    const answer = await person.send('POST', '/api/auth/sign-out');
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^platform_session=; .*expires=Thu, 01 Jan 1970/);
    expect(await person.send('GET', '/api/me')).toMatchObject({ status: 401 });
    expect(await api.anonymous.send('GET', '/api/me', undefined, other)).toMatchObject({ status: 200 });
  });

  it('ends when the sign-in expires, whatever the cookie says', async () => {
    const person = await api.person();
    await api
      .db('sign_ins')
      .where({ user_id: person.user.id })
      .update({ expires_at: new Date(0).toISOString() });
    expect(await person.send('GET', '/api/me')).toMatchObject({ status: 401 });
  });

  it('has no route if it is off', async () => {
    const strict = await startTestApi({
      DEMO_SIGN_IN: 'false',
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'platform',
      PUBLIC_URL: 'http://127.0.0.1',
    });
    try {
      expect(
        await strict.anonymous.send('POST', '/api/auth/demo-sign-in', { email: 'a@b.test' }),
      ).toMatchObject({
        status: 404,
      });
      expect(await strict.anonymous.send('GET', '/api/auth/sign-in')).toMatchObject({
        status: 503,
        body: { error: { code: 'unavailable' } },
      });
    } finally {
      await strict.stop();
    }
  });
});

describe('audit events', () => {
  it('are listed newest first, paged, and filtered by event, actor, resource and time', async () => {
    const { workspace, admin, base } = await api.workspace();
    for (const name of ['A', 'B', 'C', 'A']) {
      await admin.ok('PUT', `${base}/secrets/${name}`, { value: 'x' });
    }
    const list = async (query: string) =>
      (
        await admin.ok<{ audit_events: { event: string; resource: { name: string } }[] }>(
          'GET',
          `${base}/audit-events?${query}`,
        )
      ).audit_events;
    const names = async (query: string) => (await list(query)).map(({ resource }) => resource.name);
    expect(await names('event=workspace.secret.set')).toEqual(['C', 'B', 'A']);
    expect((await list('resource=A')).map(({ event }) => event)).toEqual([
      'workspace.secret.replaced',
      'workspace.secret.set',
    ]);
    expect(await names(`resource=${workspace.id}`)).toEqual([workspace.slug]);
    expect(await names(`actor=${randomUUID()}`)).toEqual([]);
    expect((await names(`actor=${admin.user.id}`)).length).toBe(6);
    expect(await names(`from=2999-01-01T00:00:00Z`)).toEqual([]);
    expect((await names(`to=2999-01-01T00:00:00%2B01:00`)).length).toBe(7);
    const paged: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { audit_events: { id: string }[]; next_cursor: string | null } = await admin.ok(
        'GET',
        `${base}/audit-events?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      paged.push(...page.audit_events.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(new Set(paged).size).toBe(7);
    for (const wrong of ['event=nothing', 'actor=x', 'from=yesterday']) {
      expect(await admin.send('GET', `${base}/audit-events?${wrong}`)).toMatchObject({ status: 422 });
    }
  });

  it('are exported as one JSON object a line when asked for, however many there are', async () => {
    const { workspace, admin, base } = await api.workspace();
    await api.db.raw(
      `insert into audit_events (id, workspace_id, event, actor_type, resource_type, resource_id, resource_name)
       select gen_random_uuid(), ?, 'session.mcp.tool_called', 'agent', 'mcp_server', 'x', 'files' from generate_series(1, 1200)`,
      [workspace.id],
    );
    const answer = await admin.send('GET', `${base}/audit-events?resource=files`, undefined, {
      accept: 'application/x-ndjson',
    });
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(1200);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(1200);

    const keptHash = async () =>
      (await api.db('workspaces').where({ id: workspace.id }).first('last_export_sha256'))
        ?.last_export_sha256;
    expect(await keptHash()).toBeNull();
    const whole = await admin.send('GET', `${base}/audit-events`, undefined, {
      accept: 'application/x-ndjson',
    });
    expect(await keptHash()).toBe(createHash('sha256').update(whole.text).digest('hex'));
  });

  it('cannot be changed or removed in the database by any role', async () => {
    const { workspace } = await api.workspace();
    const rows = () => api.db('audit_events').where({ workspace_id: workspace.id });
    await expect(rows().update({ event: 'other' })).rejects.toThrow('never changed');
    await expect(rows().delete()).rejects.toThrow('never changed');
  });
});
