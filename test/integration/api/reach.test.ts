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

it('starting an agent first shows which of one’s own grants it could use', async () => {
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
        ...content,
      }),
    );
  const lasting = await give({});
  const once = await give({ scope: 'once', details: { scope: 'files.remove' } });
  await give({ details: { scope: 'mail.send' } });
  await give({ user_subject_id: admin.user.id });
  await give({ user_subject_id: null, agent_subject_id: agent.id });
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
  expect(page).toMatchObject({ reach: { grants: [{ grant: once }] } });
  expect(await member.ok('GET', `${path}?limit=1&cursor=${page.next_cursor}`)).toMatchObject({
    reach: { grants: [{ grant: lasting }] },
    next_cursor: null,
  });
  expect(await admin.ok('GET', path)).toMatchObject({ reach: { own: true, grants: [expect.anything()] } });
  const other = await api.workspace();
  expect(await other.member.send('GET', path)).toMatchObject({ status: 404 });
});
