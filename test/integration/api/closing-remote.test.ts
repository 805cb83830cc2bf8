/** What closing a workspace takes back at remote servers: people's sign-ins, and the platform's clients. */
import { expect, it } from '@jest/globals';
import type { Workspace } from '../../../contract/workspace.ts';
import { eventually } from '../../support/eventually.ts';
import { paths } from '../../support/remote-server.ts';
import { asked, clients, retry, settled, shown } from './remote-registrations.ts';
import {
  begin,
  callBack,
  connections,
  page,
  reaches,
  registration,
  signIn,
  startOf,
  useRemoteSignIns,
  waiting,
} from './remote-sign-ins.ts';
import { admin, api, base, member } from './two-remote-servers.ts';

useRemoteSignIns();

const close = async () => {
  const { workspace } = await admin.ok<{ workspace: Workspace }>('GET', base);
  await admin.ok('POST', `${base}/close`, { name: workspace.name });
  // The answer does not wait for all to end.
  const stored = () => api.db('workspaces').where({ id: workspace.id }).first('closing_ended_at');
  await eventually(async () => expect((await stored())?.closing_ended_at).not.toBeNull());
};
const closed = { status: 409, body: { error: { code: 'workspace_closed' } } };

it('ends sign-ins, revokes their tokens there, and deletes the client; none of it comes back', async () => {
  const { id, session, agent } = await waiting();
  await signIn(id);
  expect(await connections()).toHaveLength(1);
  await close();
  expect(await connections()).toEqual([]);
  expect(await shown()).toMatchObject({ status: 'failed', reason: 'The workspace was closed' });
  await eventually(() => expect(asked(paths.revoke).length).toBeGreaterThan(0));
  await eventually(() => expect(asked(paths.deletion)).toHaveLength(1));
  await eventually(async () => expect(await clients()).toEqual([]));
  await reaches(session, 'terminated');
  expect(await admin.send('POST', `${base}/mcp-servers/notes/registration/retry`)).toMatchObject(closed);
  const ended = await api.db('audit_events').where({ event: 'connection.ended' }).select('actor_id');
  expect(ended).toEqual([{ actor_id: admin.user.id }]);

  await eventually(async () => expect((await admin.send('POST', `${base}/reopen`, {})).status).toBe(200));
  expect(await connections()).toEqual([]);
  expect(await shown()).toMatchObject({ status: 'failed' });
  await retry();
  expect(await settled()).toMatchObject({ status: 'ready' });
  expect(asked(paths.register)).toHaveLength(2);
  await reaches(await startOf(agent), 'awaiting_authorization');
});

it('refuses the end of a sign-in that was begun before, and a new one', async () => {
  const { id } = await waiting();
  const begun = await begin(id);
  await close();
  expect(await member.send('POST', `${base}/mcp-servers/notes/connect`)).toMatchObject(closed);
  expect((await member.send('POST', `/api/authorizations/${id}/begin`)).status).toBe(409);
  expect(await callBack(begun)).not.toBe(page(id));
  expect(await connections()).toEqual([]);
  expect(asked(paths.token)).toEqual([]);
});

it('takes a client back that is being registered at that moment', async () => {
  await api
    .db('mcp_registrations')
    .where({ id: (await registration())?.id ?? '' })
    .update({ status: 'pending', reason: null });
  await close();
  expect(await shown()).toMatchObject({ status: 'failed', reason: 'The workspace was closed' });
  await eventually(async () => expect(await clients()).toEqual([]));
});
