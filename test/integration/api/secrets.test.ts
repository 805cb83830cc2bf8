import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const eventsOf = async (workspaceId: string) =>
  (await api.db('audit_events').where({ workspace_id: workspaceId }).orderBy('position')).map(
    (row: { event: string }) => row.event,
  );

describe('workspace secrets', () => {
  it('are set, replaced, cleared and set again, each with exactly one event', async () => {
    const { workspace, admin, base } = await api.workspace();
    const first = await admin.send('PUT', `${base}/secrets/API_TOKEN`, { value: 'one' });
    expect(first).toMatchObject({
      status: 200,
      body: { secret: { name: 'API_TOKEN', is_set: true, updated_by: admin.user.id } },
    });
    expect(Object.keys((first.body as { secret: object }).secret).sort()).toEqual([
      'created_at',
      'is_set',
      'name',
      'updated_at',
      'updated_by',
    ]);
    await admin.ok('PUT', `${base}/secrets/API_TOKEN`, { value: 'two' });
    const cleared = await admin.send('DELETE', `${base}/secrets/API_TOKEN`);
    expect(cleared).toMatchObject({ status: 200, body: { secret: { name: 'API_TOKEN', is_set: false } } });
    expect((await admin.send('DELETE', `${base}/secrets/API_TOKEN`)).body).toEqual(cleared.body);
    await admin.ok('PUT', `${base}/secrets/API_TOKEN`, { value: 'three' });
    expect((await eventsOf(workspace.id)).filter((event) => event.startsWith('workspace.secret'))).toEqual([
      'workspace.secret.set',
      'workspace.secret.replaced',
      'workspace.secret.cleared',
      'workspace.secret.set',
    ]);
  });

  it('emit exactly one "set" when many write the first value concurrently', async () => {
    const { workspace, admin, base } = await api.workspace();
    const puts = Array.from({ length: 8 }, (_, at) =>
      admin.send('PUT', `${base}/secrets/RACED`, { value: `value ${at}` }),
    );
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    const events = (await eventsOf(workspace.id)).filter((event) => event.startsWith('workspace.secret'));
    expect(events).toEqual(['workspace.secret.set', ...Array(7).fill('workspace.secret.replaced')]);
  });

  it('emit one "set" and one "cleared" also when many write and clear a cleared secret concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { workspace, admin, base } = await api.workspace();
      const path = `${base}/secrets/RACED`;
      await admin.ok('PUT', path, { value: 'x' });
      await Promise.all(Array.from({ length: 6 }, () => admin.ok('DELETE', path)));
      await Promise.all(Array.from({ length: 6 }, () => admin.ok('PUT', path, { value: 'y' })));
      const events = (await eventsOf(workspace.id)).filter((event) => event.startsWith('workspace.secret'));
      expect(events).toEqual([
        'workspace.secret.set',
        'workspace.secret.cleared',
        'workspace.secret.set',
        ...Array(5).fill('workspace.secret.replaced'),
      ]);
    }
  });

  it('are listed with their uses and permitted users on request', async () => {
    const { admin, member, base } = await api.workspace();
    for (const name of ['UNUSED', 'USED', 'KEPT']) {
      await admin.ok('PUT', `${base}/secrets/${name}`, { value: 'not told' });
    }
    await admin.ok('PATCH', `${base}/secrets/KEPT`, { allowed_servers: [] });
    for (const name of ['one', 'two']) {
      await admin.ok('POST', `${base}/agents`, {
        name,
        run: { type: 'builtin', name: 'scripted' },
        instructions: '{"steps":[]}',
        env: { FIRST: '${USED}', SECOND: '${USED}', PLAIN: 'UNUSED' },
      });
    }
    const { secrets } = await member.ok<{ secrets: object[] }>('GET', `${base}/secrets?include_uses=true`);
    const none = { agents: 0, mcp_servers: 0, channels: 0, embedding_providers: 0, repositories: 0 };
    expect(secrets).toMatchObject([
      { name: 'KEPT', allowed_servers: [], used_by: none },
      { name: 'UNUSED', allowed_servers: null, used_by: none },
      { name: 'USED', allowed_servers: null, used_by: { ...none, agents: 2 } },
    ]);
    expect(JSON.stringify(secrets)).not.toContain('not told');
  });

  it('are listed with metadata only, under both paths, a page at a time', async () => {
    const { workspace, admin, member, base } = await api.workspace();
    for (const name of ['C', 'A', 'B']) {
      await admin.ok('PUT', `${base}/secrets/${name}`, { value: 'x' });
    }
    const first = await member.ok<{ secrets: { name: string }[]; next_cursor: string }>(
      'GET',
      `/workspaces/${workspace.slug}/secrets?limit=2`,
    );
    expect(first.secrets.map(({ name }) => name)).toEqual(['A', 'B']);
    const second = await member.send('GET', `${base}/secrets?limit=2&cursor=${first.next_cursor}`);
    expect(second.body).toMatchObject({ secrets: [{ name: 'C', is_set: true }], next_cursor: null });
  });

  it('have no route that returns a value', async () => {
    const { admin, base } = await api.workspace();
    await admin.ok('PUT', `${base}/secrets/HIDDEN`, { value: 'x' });
    const answer = await admin.send('GET', `${base}/secrets/HIDDEN`);
    expect(answer).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } });
    expect(answer.headers.get('allow')).toContain('PUT');
  });

  it('have uses that members list', async () => {
    const { admin, member, base } = await api.workspace();
    await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: 'x' });
    expect(await member.send('GET', `${base}/secrets/TOKEN/uses`)).toMatchObject({
      status: 200,
      body: { uses: [] },
    });
  });

  it.each([
    ['an empty value', { value: '' }, 'value'],
    ['a NUL character', { value: 'a\0b' }, 'value'],
    ['half a surrogate pair', '{"value":"\\ud800"}', 'value'],
    ['more than 64 KiB', { value: 'ä'.repeat(32 * 1024 + 1) }, 'value'],
    ['a number', { value: 7 }, 'value'],
    ['no value', {}, 'value'],
    ['no body', undefined, 'value'],
    ['an unknown field', { value: 'x', note: 'y' }, 'note'],
    ['a field that is there twice', '{"value":"x","value":"y"}', 'value'],
    ['a field that is there twice, escaped', '{"value":"x","\\u0076alue":"y"}', 'value'],
    ['a field within that is there twice', '{"value":{"a":1,"a":2}}', 'value.a'],
    ['a field named __proto__', '{"value":"x","__proto__":{"a":1}}', '__proto__'],
  ])('refuse %s, naming the field, and save nothing', async (_what, body, path) => {
    const { admin, base } = await api.workspace();
    const answer = await admin.send('PUT', `${base}/secrets/TOKEN`, body);
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_failed', fields: [{ path }] } },
    });
    expect(await admin.ok('GET', `${base}/secrets`)).toMatchObject({ secrets: [] });
  });

  it('accept exactly 64 KiB of UTF-8', async () => {
    const { admin, base } = await api.workspace();
    const answer = await admin.send('PUT', `${base}/secrets/BIG`, { value: 'ä'.repeat(32 * 1024) });
    expect(answer.status).toBe(200);
  });

  it.each(['lower', '1ST', `A${'B'.repeat(64)}`, 'A-B'])('refuse the name %s', async (name) => {
    const { admin, base } = await api.workspace();
    const answer = await admin.send('PUT', `${base}/secrets/${name}`, { value: 'x' });
    expect(answer).toMatchObject({ status: 422, body: { error: { fields: [{ path: 'name' }] } } });
  });

  it('answer 404 for clearing or restricting an unknown name', async () => {
    const { admin, base } = await api.workspace();
    expect(await admin.send('DELETE', `${base}/secrets/NEVER`)).toMatchObject({ status: 404 });
    expect(await admin.send('PATCH', `${base}/secrets/NEVER`, { allowed_servers: [] })).toMatchObject({
      status: 404,
    });
  });

  it('name every place that references them', async () => {
    const { admin, base } = await api.workspace();
    await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: 'x' });
    await admin.ok('POST', `${base}/mcp-servers`, {
      name: 'notes',
      shape: { type: 'command', command: 'notes' },
      manifest: { env: { KEY: { kind: 'secret', label: 'k' }, TEXT: { kind: 'value', label: 't' } } },
    });
    const run = { type: 'builtin', name: 'scripted' };
    const { agent } = await admin.ok<{ agent: { id: string } }>('POST', `${base}/agents`, {
      name: 'user of secrets',
      run,
      env: { OWN: '${TOKEN}' },
      model_access: { api_key: '${TOKEN}' },
      siblings: [{ name: 'side', run, env: { S: '${TOKEN}' } }],
      services: [
        {
          name: 'web',
          run: { type: 'command', command: 'serve', args: [] },
          env: { W: '${TOKEN}', PLAIN: 'x' },
        },
      ],
    });
    const env = { KEY: '${TOKEN}', TEXT: '${TOKEN}' };
    await admin.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'notes', env });
    const expected = [
      { kind: 'agent_env', name: null, variable: 'OWN' },
      { kind: 'mcp_attachment', name: 'notes', variable: 'KEY' },
      { kind: 'model_key', name: null, variable: null },
      { kind: 'service_env', name: 'web', variable: 'W' },
      { kind: 'sibling_env', name: 'side', variable: 'S' },
    ].map((use) => ({ ...use, agent: { id: agent.id, name: 'user of secrets' } }));
    const first = await admin.ok<{ uses: unknown[]; next_cursor: string }>(
      'GET',
      `${base}/secrets/TOKEN/uses?limit=3`,
    );
    const rest = await admin.ok<{ uses: unknown[] }>(
      'GET',
      `${base}/secrets/TOKEN/uses?cursor=${first.next_cursor}`,
    );
    expect([...first.uses, ...rest.uses]).toEqual(expected);
  });

  it('never show their value: not in an answer, the log, the audit trail or any column, even when the request fails', async () => {
    const { admin, member, base } = await api.workspace();
    const marker = 'sentinel-4cb7f1d0';
    const path = `${base}/secrets/TOKEN`;
    const answers = [
      await admin.send('PUT', path, { value: marker }),
      await admin.send('PUT', path, { value: `${marker}\0` }),
      await admin.send('PUT', path, `{"value": ${marker}}`),
      await admin.send('PUT', path, `{"value": "${marker}"`),
      await admin.send('PUT', path, { value: [marker] }),
      await admin.send('PUT', path, { value: 'x', [marker.slice(0, 4)]: marker }),
      await admin.send('PUT', path, { value: marker.repeat(70_000) }),
      await admin.send('PUT', path, { value: marker }, { 'content-type': 'text/plain' }),
      await member.send('PUT', path, { value: marker }),
      await api.anonymous.send('PUT', path, { value: marker }),
      await admin.send('GET', `${base}/secrets`),
      await admin.send('GET', `${base}/audit-events`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      200, 422, 400, 400, 422, 422, 413, 415, 403, 401, 200, 200,
    ]);
    expect(answers.map(({ text }) => text).join()).not.toContain(marker);
    expect(api.logged()).not.toContain(marker);
    const tables = await api
      .db('information_schema.tables')
      .where({ table_schema: 'public' })
      .select('table_name');
    for (const { table_name: table } of tables) {
      const { rows } = await api.db.raw(
        'select count(*)::int as hits from ?? t where t::text like ? or t::text like ?',
        [table, `%${marker}%`, `%${Buffer.from(marker).toString('hex')}%`],
      );
      expect({ table, hits: rows[0].hits }).toEqual({ table, hits: 0 });
    }
  });

  it('restrict which entries may be given them, once per change', async () => {
    const { workspace, admin, base } = await api.workspace();
    await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: 'x' });
    await admin.ok('PATCH', `${base}/secrets/TOKEN`, { allowed_servers: ['b', 'a'] });
    await admin.ok('PATCH', `${base}/secrets/TOKEN`, { allowed_servers: ['a', 'b', 'a'] });
    const events = await eventsOf(workspace.id);
    expect(events.filter((event) => event === 'workspace.secret.restricted')).toHaveLength(1);
    expect(await admin.send('PATCH', `${base}/secrets/TOKEN`, { allowed_servers: ['NO'] })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'allowed_servers.0' }] } },
    });
  });
});
