/** Expressions of manifests: whatever one workspace saves, the API stays responsive for everybody. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { patternBoundProblem } from '../../../contract/patterns.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { frozenPatterns, patternFields, slowValue, worstPatterns } from '../../support/costly-patterns.ts';
import { bestHoldShare } from '../../support/loop-hold.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const shape = { type: 'command', command: 'mcp-server', args: [] };
const register = (admin: Person, base: string, name: string, fields: Record<string, unknown>) =>
  admin.send('POST', `${base}/mcp-servers`, { name, shape, manifest: { env: fields, tool_scopes: {} } });

describe('an entry whose expressions are slow', () => {
  it('is refused for its size, before any expression runs', async () => {
    const { admin, base } = await api.workspace();
    const answer = await register(admin, base, 'frozen', patternFields(frozenPatterns(12)));
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      error: { fields: expect.arrayContaining([expect.objectContaining({ path: 'manifest.env.V0.regex' })]) },
    });
    const many = await register(admin, base, 'many', patternFields(Array<string>(1_800).fill('a')));
    expect(many.body).toMatchObject({ error: { fields: [{ path: 'manifest.env', code: 'too_many' }] } });
  });

  it('does not delay other requests while the slowest allowed entry is saved', async () => {
    const { admin, base } = await api.workspace();
    const regexes = worstPatterns();
    expect(regexes.map(patternBoundProblem)).toEqual(regexes.map(() => null));
    const saveThree = async () => {
      const fields = patternFields(regexes, slowValue);
      const saves = [1, 2, 3].map((at) => register(admin, base, `worst-${at}`, fields));
      for (const { status, text } of await Promise.all(saves)) {
        expect([422, text.includes('regex_mismatch') || text.includes('too_costly')]).toEqual([status, true]);
      }
    };
    // On the event loop, one save alone would block it for a third of the time.
    expect(await bestHoldShare(saveThree, { below: 1 / 6, rounds: 3 })).toBeLessThan(1 / 6);
  });

  it('is queued by user, however many workspaces that user creates', async () => {
    const { admin } = await api.workspace();
    const other = await api.workspace();
    const slugs = Array.from({ length: 8 }, () => `w-${randomUUID().slice(0, 8)}`);
    for (const slug of slugs) {
      await admin.ok('POST', '/api/workspaces', { slug, name: 'One of many' });
    }
    const worstEnv = patternFields(worstPatterns(), slowValue);
    const saves = slugs.map((slug) => register(admin, `/api/workspaces/${slug}`, 'worst', worstEnv));
    let ended = 0;
    for (const save of saves) {
      void save.then(() => (ended += 1));
    }
    await Promise.race(saves);
    const elsewhere = await register(other.admin, other.base, 'quick', patternFields(['a+'], 'aaa'));
    expect(elsewhere.status).toBe(201);
    // The save of another user did not wait for all of these: few of them run or wait
    // for expressions at a time.
    expect(ended).toBeLessThan(saves.length);
    const statuses = (await Promise.all(saves)).map(({ status }) => status);
    expect([422, 503]).toEqual(expect.arrayContaining(statuses));
    expect(statuses.filter((status) => status === 422).length).toBeGreaterThanOrEqual(4);
  });

  it('is checked against the bounds again when attached, even if stored before they existed', async () => {
    const { admin, base, workspace } = await api.workspace();
    await admin.ok('POST', `${base}/mcp-servers`, {
      name: 'old',
      shape,
      manifest: { env: patternFields(['a+']), tool_scopes: {} },
    });
    const { agent } = await admin.ok<{ agent: { id: string } }>('POST', `${base}/agents`, {
      name: 'a',
      run: { type: 'builtin', name: 'scripted' },
    });
    const attach = (value: string) =>
      admin.send('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'old', env: { V0: value } });
    expect((await attach('aaa')).status).toBe(200);
    expect((await attach('b')).body).toMatchObject({
      error: { fields: [{ path: 'env.V0', code: 'regex_mismatch' }] },
    });
    await api
      .db('mcp_servers')
      .where({ workspace_id: workspace.id, name: 'old' })
      .update({ manifest: JSON.stringify({ env: patternFields(frozenPatterns(1)), tool_scopes: {} }) });
    expect((await attach('xxx')).body).toMatchObject({
      error: { fields: [{ path: 'env.V0', code: 'pattern_too_costly' }] },
    });
  });
});
