/** What a person sees beside a request: what the agent asked before, what changed, what goes together. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { askPermission } from '../../support/ask-permission.ts';
import { frozenFor, replaceConfiguration } from '../../support/granted.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let admin: Person;
let member: Person;
let base: string;
let session: Session;
let agent: Agent;

beforeAll(async () => {
  api = await startSessionApi();
});
beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session, agent } = await api.runningSession(member, base));
  await replaceConfiguration(api.db, frozenFor(session, agent));
});
afterAll(() => api.stop());

const ask = (content: Record<string, unknown> = {}, of = session) => askPermission(api, of.id, content);
const read = async (id: string, person = member) =>
  (await person.ok<{ permission_request: object }>('GET', `${base}/permission-requests/${id}`))
    .permission_request;
const newcomer = async () => {
  const person = await api.person('Nina Newcomer');
  await api.join(workspace, person, 'member');
  return person;
};

describe('what an agent asked before', () => {
  const write = { server: 'files', tool: 'write_file', arguments: '{"path":"a.txt"}' };
  const earlier = async (id: string, person = member) =>
    (await person.ok<{ earlier: object }>('GET', `${base}/permission-requests/${id}/earlier`)).earlier;
  /** An hour ago, so that the agent may ask again. */
  const deny = async (id: string) => {
    await member.ok('POST', `${base}/permission-requests/${id}/deny`, {});
    await api
      .db('permission_requests')
      .where({ id })
      .update({ decided_at: api.db.raw(`now() - interval '1 hour'`) });
  };
  const nothing = { approved: 0, denied: 0, unanswered: 0, is_partial: true, decided: [] };

  it('is counted for the same tool, with how far people allowed it, the last one first', async () => {
    const approved = await ask({ refused_call: write, scope: 'once' });
    const { refused_call: seen } = (await read(approved)) as { refused_call: { digest: string } };
    await member.ok('POST', `${base}/grants`, {
      ...{ agent_subject_id: agent.id, grant_type: 'tool_scope', details: { scope: 'files.write' } },
      ...{ scope: 'once', request_id: approved, call_digest: seen.digest, exact_call: true },
    });
    const denied = await ask({ refused_call: { ...write, arguments: '{"path":"b.txt"}' } });
    await deny(denied);
    await deny(await ask({ refused_call: { ...write, tool: 'edit_file' } }));
    await deny(await ask());
    const expired = await ask({ refused_call: { ...write, arguments: '{"path":"c.txt"}' } });
    await api
      .db('permission_requests')
      .where({ id: expired })
      .update({ status: 'expired', decided_at: api.db.fn.now() });
    const asked = await ask({ refused_call: write });
    const of = {
      session: { id: session.id, title: expect.stringMatching(/./) },
      decider: { id: member.user.id },
    };
    expect(await earlier(asked, admin)).toMatchObject({ is_partial: false });
    expect(await earlier(asked)).toMatchObject({
      ...{ approved: 1, denied: 1, unanswered: 1 },
      decided: [
        {
          id: approved,
          status: 'approved',
          grant: { scope: 'once', exact_call: true, expires_at: null },
          ...of,
        },
        { id: denied, status: 'denied', grant: null, ...of },
      ],
    });
    expect(await read(asked)).toMatchObject({ session_title: expect.stringMatching(/./) });
  });

  it('says when the agent asked more often than is looked at, also if none of the last is alike', async () => {
    await deny(await ask({ refused_call: write }));
    await deny(await ask());
    const asked = await ask({ refused_call: write, scope: 'once' });
    await api.db.raw(
      `insert into permission_requests
       select (jsonb_populate_record(r, jsonb_build_object(
         'id', gen_random_uuid(), 'created_at', now(), 'refused_tool', 'read_file'))).*
       from permission_requests r, generate_series(1, 1000)
       where r.id = (select id from permission_requests where refused_tool = 'write_file' and status = 'denied'
         and agent_id = ? limit 1)`,
      [agent.id],
    );
    expect(await earlier(asked, admin)).toEqual({ ...nothing, is_partial: true });
  });

  it('tells nobody of sessions that they may not read, not even the owner of the agent', async () => {
    await deny(await ask({ refused_call: write }));
    const other = await api.runningSession(member, base);
    await api.db('sessions').where({ id: other.session.id }).update({ agent_id: agent.id });
    await replaceConfiguration(api.db, frozenFor(other.session, agent));
    const shared = await ask({ refused_call: write, scope: 'once' }, other.session);
    const reader = await newcomer();
    expect(await reader.send('GET', `${base}/permission-requests/${shared}/earlier`)).toMatchObject({
      status: 404,
    });
    await api.db('agents').where({ id: agent.id }).update({ owner_id: reader.user.id });
    expect(await earlier(shared, reader)).toEqual(nothing);
    expect(await read(shared, reader)).toMatchObject({ session_title: null });
    await api.db('sessions').where({ id: other.session.id }).update({ shared_with_workspace: true });
    expect(await earlier(shared, reader)).toEqual(nothing);
    for (const person of [member, admin]) {
      expect(await earlier(shared, person)).toMatchObject({ denied: 1 });
    }
  });
});

describe('a call that may be decided with others', () => {
  const write = { server: 'files', tool: 'write_file', arguments: '{"path":"a.txt"}' };
  /** The server of the session is this one of the catalog. */
  const register = (content: Record<string, unknown> = {}) =>
    admin.ok<{ mcp_server: { id: string; version: number } }>('POST', `${base}/mcp-servers`, {
      name: 'files',
      shape: { type: 'command', command: 'x' },
      manifest: { tool_scopes: { write_file: 'files.write' } },
      ...content,
    });
  const refreeze = async (changes: object) => {
    const frozen = frozenFor(session, agent);
    const servers = frozen.servers.map((server) => ({ ...server, ...changes }));
    await replaceConfiguration(api.db, { ...frozen, servers });
  };

  it('is one whose arguments were kept, and that its reader may approve for the agent', async () => {
    expect(await read(await ask({ refused_call: write }))).toMatchObject({
      ...{ may_decide_together: true, changed_tools: [] },
    });
    expect(await read(await ask())).toMatchObject({ may_decide_together: false });
    const unknown = { server: 'files', tool: 'write_file', arguments_size_bytes: 90_000 };
    expect(await read(await ask({ scope: 'once', refused_call: unknown }))).toMatchObject({
      may_decide_together: false,
    });
    const reader = await newcomer();
    await api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: true });
    const other = await ask({ refused_call: { ...write, arguments: '{"path":"b.txt"}' } });
    expect(await read(other, reader)).toMatchObject({ may_decide_together: false });
  });

  it('is of no scope that only admins grant, and of no server that people sign in to', async () => {
    await register({ approvers: 'admin' });
    const id = await ask({ refused_call: write });
    expect(await read(id, admin)).toMatchObject({ may_decide: true, may_decide_together: false });
    await api.db('mcp_servers').where({ name: 'files' }).delete();
    expect(await read(id, admin)).toMatchObject({ may_decide: true, may_decide_together: true });
    await refreeze({ shape: { type: 'remote', url: 'https://mcp.example.test/' } });
    expect(await read(id, admin)).toMatchObject({ may_decide: true, may_decide_together: false });
  });

  it('is of no tool that changed since it was accepted, and says which did, not what they say', async () => {
    const { mcp_server: entry } = await register();
    await refreeze({ entry_id: entry.id, entry_version: entry.version });
    const id = await ask({ refused_call: write });
    const define = (tool: string, digest: string, accepted: boolean) =>
      api.db('tool_definitions').insert({
        ...{ workspace_id: workspace.id, mcp_server_id: entry.id, version: entry.version },
        ...{ part: tool === '' ? 'instructions' : 'tool', tool, digest, text: '"a claim"', is_cut: false },
        accepted_at: accepted ? api.db.fn.now() : null,
      });
    await define('write_file', 'a'.repeat(64), true);
    expect(await read(id)).toMatchObject({ changed_tools: [], may_decide_together: true });
    await define('edit_file', 'b'.repeat(64), false);
    const added = { server: 'files', tool: 'edit_file', kind: 'new' };
    expect(await read(id)).toMatchObject({ changed_tools: [added], may_decide_together: true });
    await define('write_file', 'c'.repeat(64), false);
    const shown = await read(id);
    expect(shown).toMatchObject({
      changed_tools: expect.arrayContaining([added, { ...added, tool: 'write_file', kind: 'changed' }]),
      may_decide_together: false,
    });
    expect(JSON.stringify(shown)).not.toContain('a claim');
  });
});
