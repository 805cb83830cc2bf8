import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import { writeGrant } from '../../../commands/grants/write.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { ApprovalClaims } from '../../../contract/approval.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

it('starting an agent first shows which grants its session could use, whoever holds them', async () => {
  const { workspace, admin, member, base } = await api.workspace();
  await admin.ok('POST', `${base}/mcp-servers`, {
    name: 'files',
    shape: { type: 'command', command: 'x' },
    manifest: {
      tool_scopes: { write_file: 'files.write', edit_file: 'files.write', remove: 'files.remove' },
    },
  });
  const { agent } = await admin.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: 'writer',
    run: { type: 'builtin', name: 'scripted' },
  });
  const path = `/api/agents/${agent.id}/reach`;
  const give = (content: Partial<ApprovalClaims['grant']>) =>
    api.db.transaction((trx) =>
      writeGrant(trx, {
        id: randomUUID(),
        workspace_id: workspace.id,
        user_subject_id: member.user.id,
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
        ...content,
      }),
    );
  const lasting = await give({});
  const once = await give({ scope: 'once', details: { scope: 'files.remove' } });
  await give({ details: { scope: 'mail.send' } });
  await give({ user_subject_id: admin.user.id });
  const ofAgent = await give({ user_subject_id: null, agent_subject_id: agent.id });
  await revokeGrant(api.db, (await give({})).id, { type: 'user', id: member.user.id });

  const owner = { id: admin.user.id, name: admin.user.name };
  expect(await member.ok('GET', path)).toEqual({
    reach: { owner, own: false, grants: [] },
    next_cursor: null,
  });
  await admin.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'files', env: {} });
  expect(await member.ok('GET', path)).toEqual({
    reach: {
      owner,
      own: false,
      grants: [
        {
          grant: ofAgent,
          tools: [
            { server: 'files', tool: 'edit_file' },
            { server: 'files', tool: 'write_file' },
          ],
          more_tools: 0,
        },
        { grant: once, tools: [{ server: 'files', tool: 'remove' }], more_tools: 0 },
        {
          grant: lasting,
          tools: [
            { server: 'files', tool: 'edit_file' },
            { server: 'files', tool: 'write_file' },
          ],
          more_tools: 0,
        },
      ],
    },
    next_cursor: null,
  });
  const page = await member.ok<{ next_cursor: string }>('GET', `${path}?limit=1`);
  expect(page).toMatchObject({ reach: { grants: [{ grant: ofAgent }] } });
  expect(await member.ok('GET', `${path}?limit=2&cursor=${page.next_cursor}`)).toMatchObject({
    reach: { grants: [{ grant: once }, { grant: lasting }] },
    next_cursor: null,
  });
  expect(await admin.ok('GET', path)).toMatchObject({
    reach: { own: true, grants: [{ grant: ofAgent }, { grant: { user_subject_id: admin.user.id } }] },
  });
  const other = await api.workspace();
  expect(await other.member.send('GET', path)).toMatchObject({ status: 404 });
});

it('of a server that people sign in to, an agent’s grant is in reach where an admin or the caller made it', async () => {
  const { workspace, admin, member, base } = await api.workspace();
  const { agent } = await admin.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: 'reader',
    run: { type: 'builtin', name: 'scripted' },
  });
  for (const [name, tool] of [
    ['files', 'write_file'],
    ['far', 'post'],
  ] as const) {
    await admin.ok('POST', `${base}/mcp-servers`, {
      name,
      shape: { type: 'command', command: 'x' },
      manifest: { tool_scopes: { [tool]: 'files.write', [`${name}_only`]: `${name}.only` } },
    });
    await admin.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name, env: {} });
  }
  const remote = JSON.stringify({ type: 'remote', url: 'https://far.test/mcp' });
  await api.db('mcp_servers').where({ workspace_id: workspace.id, name: 'far' }).update({ shape: remote });
  const give = (
    scope: string,
    maker: { id: string },
    role: 'admin' | 'member',
    { user_subject_id: holder = null, ...content }: Partial<ApprovalClaims['grant']> = {},
  ) =>
    api.db.transaction((trx) =>
      writeGrant(trx, {
        ...{
          id: randomUUID(),
          workspace_id: workspace.id,
          user_subject_id: holder,
          agent_subject_id: holder === null ? agent.id : null,
        },
        ...{ grant_type: 'tool_scope', details: { scope }, scope: 'persistent', session_id: null },
        ...{ reason: null, granted_by_user_id: maker.id, granted_by_role: role, request_id: null },
        bound_call_digest: null,
        expires_at: null,
        ...content,
      }),
    );
  const [there, here] = [
    { server: 'far', tool: 'post' },
    { server: 'files', tool: 'write_file' },
  ];
  const reached = async () =>
    (
      await member.ok<{ reach: { grants: { grant: { id: string }; tools: object[] }[] } }>(
        'GET',
        `/api/agents/${agent.id}/reach`,
      )
    ).reach.grants.map(({ grant: { id }, tools }) => [id, tools]);
  const ofOther = await give('files.write', admin.user, 'member');
  await give('far.only', admin.user, 'member');
  expect(await reached()).toEqual([[ofOther.id, [here]]]);
  const own = await give('files.write', member.user, 'member');
  const ofAdmin = await give('far.only', admin.user, 'admin');
  expect(await reached()).toEqual([
    [ofAdmin.id, [{ server: 'far', tool: 'far_only' }]],
    [own.id, [there, here]],
    [ofOther.id, [here]],
  ]);
  // One that the caller holds counts whoever made it, as does an admin's for one call.
  const held = await give('far.only', admin.user, 'member', { user_subject_id: member.user.id });
  const once = await give('files.write', admin.user, 'admin', { scope: 'once' });
  expect((await reached()).map(([id]) => id)).toEqual([once.id, held.id, ofAdmin.id, own.id, ofOther.id]);
});
