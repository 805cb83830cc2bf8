/**
 * A server stays what was approved: the first list is pinned, what differs waits for an
 * admin, and calls depend on it.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../../contract/audit-event.ts';
import type { McpCheck } from '../../../contract/mcp-check.ts';
import type { FrozenServer, Session } from '../../../contract/session.ts';
import type { SessionEvent } from '../../../contract/session-event.ts';
import {
  type PinnedToolList,
  type ToolDefinition,
  type ToolDifference,
  toolListLimits,
} from '../../../contract/tool-definitions.ts';
import type { Person } from '../../support/api.ts';
import { untilFound } from '../../support/eventually.ts';
import { giveGrant } from '../../support/granted.ts';
import { useSessionApi } from '../../support/use-session-api.ts';
import { definition, digestOf, listOf, report as reportList, sessionWith, tool } from './reported-lists.ts';

const api = useSessionApi();
let admin: Person;
let member: Person;
let base: string;
let entryId: string;

beforeEach(async () => {
  ({ admin, member, base } = await api.workspace());
  const body = { ...entry, changed_tools: 'refuse' };
  const { mcp_server } = await admin.ok<{ mcp_server: { id: string } }>('POST', `${base}/mcp-servers`, body);
  entryId = mcp_server.id;
});

const entry = {
  name: 'files',
  shape: { type: 'command', command: 'node', args: ['server.js'] },
  manifest: { env: {}, tool_scopes: { write_file: 'files.write' } },
};
const startSession = (version = 1, env: FrozenServer['env'] = {}): Promise<Session> =>
  sessionWith(
    api,
    { person: member, base },
    { entry_id: entryId, entry_version: version, env, changed_tools: 'refuse' },
  );
const report = (of: { id: string }, list: object) => reportList(api, of, list);
/** Calls a tool whose agent was shown these texts of it. */
async function check(session: Session, name: string, texts: string[], instructions: string[] = []) {
  const shown = { tool: texts.map(digestOf), instructions: instructions.map(digestOf) };
  const { status, body } = await api.asSidecar(session.id, 'POST', 'tool-calls/check', {
    ...{ call_id: randomUUID(), server: 'files', tool: name, shown },
  });
  expect(status).toBe(200);
  const { decision, code } = body as { decision: string; code?: string };
  return code ?? decision;
}
const path = () => `${base}/mcp-servers/files`;
const accepted = async (query = '') =>
  await admin.ok<{ pinned: PinnedToolList | null; tool_definitions: ToolDefinition[] }>(
    'GET',
    `${path()}/tool-definitions${query}`,
  );
const differences = async (person = admin) =>
  (await person.ok<{ tool_differences: ToolDifference[] }>('GET', `${path()}/tool-differences`))
    .tool_differences;
const accept = (ids: string[], person = admin) =>
  person.send('POST', `${path()}/tool-differences/accept`, { ids });
const auditOf = async (event: string) =>
  (await admin.ok<{ audit_events: AuditEvent[] }>('GET', `${base}/audit-events?event=${event}`)).audit_events;
const toldIn = async (session: Session) =>
  (await member.ok<{ events: SessionEvent[] }>('GET', `/api/sessions/${session.id}/events`)).events
    .filter(({ type }) => type === 'session.tools_changed')
    .map(({ payload }) => payload);

describe('the first complete list of a version', () => {
  it('is accepted by itself, and a repeated report changes nothing', async () => {
    const session = await startSession();
    const list = listOf([tool('read'), tool('write_file')], { instructions: definition('Be kind') });
    expect((await accepted()).pinned).toBeNull();
    await report(session, list);
    await report(session, list);
    const { pinned, tool_definitions } = await accepted();
    expect(pinned).toMatchObject({ version: 1, source: 'session', pinned_by: null });
    expect(tool_definitions.map(({ part, tool: name, text }) => [part, name, text]).sort()).toEqual([
      ['instructions', '', 'Be kind'],
      ['tool', 'read', 'what read does'],
      ['tool', 'write_file', 'what write_file does'],
    ]);
    expect(await auditOf('workspace.mcp.tools_pinned')).toMatchObject([
      {
        actor: { type: 'system' },
        session_id: session.id,
        data: { version: 1, source: 'session', tools: 2, has_instructions: true },
      },
    ]);
    expect(await differences()).toEqual([]);
    expect(await toldIn(session)).toEqual([]);
  });

  it('is one, when many sessions list at the same time', async () => {
    const sessions = await Promise.all([1, 2, 3, 4].map(() => startSession()));
    await Promise.all(
      sessions.map((session, at) => report(session, listOf([tool('read', `version ${at}`)]))),
    );
    expect((await accepted()).tool_definitions).toHaveLength(1);
    expect(await differences()).toHaveLength(3);
  });

  it('is not a list in part', async () => {
    await report(await startSession(), listOf([tool('read')], { is_complete: false }));
    expect(await accepted()).toMatchObject({ pinned: null, tool_definitions: [] });
  });

  it('is the one of an admin’s check where that came first', async () => {
    const { mcp_check } = await admin.ok<{ mcp_check: McpCheck }>('POST', `${path()}/checks`, { env: {} });
    await untilFound('the start of the check', async () =>
      (await api.runtime.inspect(mcp_check.id)).state === 'running' ? true : null,
    );
    await report(mcp_check, listOf([tool('read')]));
    const { pinned, tool_definitions } = await accepted();
    const { user } = await admin.ok<{ user: { id: string } }>('GET', '/api/me');
    expect(pinned).toMatchObject({ source: 'check', pinned_by: user.id });
    expect(tool_definitions).toMatchObject([{ tool: 'read', accepted_by: user.id, session_id: null }]);
    const session = await startSession();
    await report(session, listOf([tool('read', 'another')]));
    expect(await differences()).toMatchObject([{ tool: 'read', kind: 'changed', session_id: session.id }]);
  });
});

describe('what differs from it', () => {
  let session: Session;
  beforeEach(async () => {
    session = await startSession();
    await report(
      session,
      listOf([tool('read'), tool('write_file')], { instructions: definition('Be kind') }),
    );
  });

  it('waits for an admin, beside what was accepted, and is told to the session and in the audit trail', async () => {
    const list = listOf([tool('read', 'poison'), tool('more')], { instructions: definition('Be cruel') });
    await report(session, list);
    await report(session, list);
    const waiting = await differences(member);
    expect(
      waiting
        .map(({ part, tool: name, kind, text, accepted: was }) => [part, name, kind, text, was?.text])
        .sort(),
    ).toEqual([
      ['instructions', '', 'changed', 'Be cruel', 'Be kind'],
      ['tool', 'more', 'new', 'what more does', undefined],
      ['tool', 'read', 'changed', 'poison', 'what read does'],
    ]);
    const names = { new_tools: ['more'], changed_tools: ['read'], more_tools: 0, instructions_changed: true };
    expect(await toldIn(session)).toEqual([{ server: 'files', ...names, refused: true }]);
    expect(await auditOf('workspace.mcp.tools_changed')).toMatchObject([
      { resource: { name: 'files' }, session_id: session.id, data: { version: 1, ...names } },
    ]);
    expect(await admin.ok('GET', `${base}/changed-mcp-servers`)).toMatchObject({
      changed_mcp_servers: [{ id: entryId, name: 'files', version: 1, waiting: 3 }],
    });
    // Another session sees the same: it is told, and nothing waits twice.
    const other = await startSession();
    await report(other, list);
    expect(await toldIn(other)).toHaveLength(1);
    expect(await differences()).toHaveLength(3);
    expect(await auditOf('workspace.mcp.tools_changed')).toHaveLength(1);
  });

  it('is not that a tool is absent', async () => {
    await report(session, listOf([tool('read')]));
    expect([await differences(), await toldIn(session)]).toEqual([[], []]);
  });

  it('refuses its calls until an admin accepts it, whichever session calls', async () => {
    const passes = (text: string, instructions = ['Be kind']) => check(session, 'read', [text], instructions);
    expect(await passes('what read does')).toBe('allowed');
    await report(session, listOf([tool('read', 'another')], { instructions: definition('Be cruel') }));
    expect(await passes('another')).toBe('tool_changed');
    expect(await passes('what read does', ['Be kind', 'Be cruel'])).toBe('tool_changed');
    expect(await check(session, 'read', ['what read does', 'another'], ['Be kind'])).toBe('tool_changed');
    expect(await check(session, 'read', [], ['Be kind'])).toBe('tool_changed');
    // The definition of one tool is not that of another.
    expect(await check(session, 'delete', ['what read does'])).toBe('tool_changed');
    const ids = (await differences()).map(({ id }) => id);
    expect((await accept(ids, member)).status).toBe(403);
    expect(await accept(ids)).toMatchObject({ status: 200, body: { accepted: 2 } });
    expect(await accept(ids)).toMatchObject({ status: 200, body: { accepted: 0 } });
    expect(await check(session, 'read', ['what read does', 'another'], ['Be kind', 'Be cruel'])).toBe(
      'allowed',
    );
    expect(await differences()).toEqual([]);
    expect(await auditOf('workspace.mcp.tools_accepted')).toMatchObject([
      { actor: { type: 'user' }, data: { tools: ['read'], more_tools: 0, instructions: true } },
    ]);
  });

  it('is remembered when the sidecar restarts, which forgets what its agent was shown', async () => {
    await report(session, listOf([tool('read', 'poison')], { is_complete: false }));
    expect(await check(session, 'read', ['what read does'])).toBe('tool_changed');
    // Sessions that were shown nothing else go on.
    expect(await check(await startSession(), 'read', ['what read does'])).toBe('allowed');
    await accept((await differences()).map(({ id }) => id));
    expect(await check(session, 'read', ['what read does'])).toBe('allowed');
    await report(session, listOf([tool('read')], { instructions: definition('Be cruel') }));
    expect(await check(session, 'read', ['what read does'])).toBe('tool_changed');
  });

  it('refuses before a grant is used up', async () => {
    const grant = await giveGrant(api.db, session);
    await report(session, listOf([tool('write_file', 'another')]));
    expect(await check(session, 'write_file', ['another'])).toBe('tool_changed');
    const { consumed_at } = (await api.db('grants').where({ id: grant.id }).first('consumed_at')) ?? {};
    expect(consumed_at).toBeNull();
    await accept((await differences()).map(({ id }) => id));
    expect(await check(session, 'write_file', ['another'])).toBe('allowed');
    expect(await check(session, 'write_file', ['another'])).toBe('permission_required');
  });

  it('is decided for each call of a request', async () => {
    await report(session, listOf([tool('read', 'another')]));
    await giveGrant(api.db, session);
    const checks = [
      ['read', 'another'],
      ['write_file', 'what write_file does'],
    ].map(([name, text = '']) => ({
      ...{ call_id: randomUUID(), server: 'files', tool: name },
      shown: { tool: [digestOf(text)], instructions: [] },
    }));
    const ask = async (some: object[]) =>
      (await api.asSidecar(session.id, 'POST', 'tool-calls/checks', { checks: some })).body;
    expect(await ask(checks)).toEqual({
      answers: [
        { call_id: checks[0]?.call_id, answer: { decision: 'refused', code: 'tool_changed', scope: null } },
      ],
    });
    expect(await ask(checks.slice(1))).toMatchObject({ answers: [{ answer: { decision: 'allowed' } }] });
  });

  it('can be accepted only by who read it: an id of another entry or workspace accepts nothing', async () => {
    await report(session, listOf([tool('read', 'another')]));
    const ids = (await differences()).map(({ id }) => id);
    const other = await api.workspace();
    await other.admin.ok('POST', `${other.base}/mcp-servers`, entry);
    const elsewhere = `${other.base}/mcp-servers/files/tool-differences/accept`;
    expect(await other.admin.send('POST', elsewhere, { ids })).toMatchObject({ body: { accepted: 0 } });
    await admin.ok('POST', `${base}/mcp-servers`, { ...entry, name: 'others' });
    const others = `${base}/mcp-servers/others/tool-differences/accept`;
    expect(await admin.send('POST', others, { ids })).toMatchObject({ body: { accepted: 0 } });
    expect(await differences()).toHaveLength(1);
    expect((await other.admin.send('GET', `${path()}/tool-differences`)).status).toBe(404);
  });

  it('is limited in number, however much a server invents', async () => {
    for (let round = 0; round < 3; round += 1) {
      const invented = Array.from({ length: 500 }, (_, at) => tool(`invented-${round}-${at}`));
      await report(session, listOf(invented));
    }
    const [{ count } = {}] = await api
      .db('tool_definitions')
      .where({ mcp_server_id: entryId })
      .whereNull('accepted_at')
      .count();
    expect(Number(count)).toBe(toolListLimits.waiting);
    expect((await toldIn(session))[0]).toMatchObject({ more_tools: 450 });
    expect(await check(session, 'invented-2-499', ['what invented-2-499 does'])).toBe('tool_changed');
  });
});

describe('a change of the entry', () => {
  beforeEach(async () => {
    await report(await startSession(), listOf([tool('read')]));
  });
  const replace = (changes: object) =>
    admin.ok('PUT', path(), { ...entry, changed_tools: 'refuse', ...changes });

  it('keeps what was accepted while it runs the same', async () => {
    await replace({ approvers: 'admin' });
    const { pinned, tool_definitions } = await accepted();
    expect(pinned).toMatchObject({ version: 2, source: 'earlier_version' });
    expect(tool_definitions).toMatchObject([{ tool: 'read' }]);
    const session = await startSession(2);
    await report(session, listOf([tool('read', 'another')]));
    expect(await check(session, 'read', ['another'])).toBe('tool_changed');
    await accept((await differences()).map(({ id }) => id));
    expect(await check(session, 'read', ['another'])).toBe('allowed');
  });

  it('starts over when it runs something else, but not for sessions that run what it was', async () => {
    const earlier = await startSession(1);
    await replace({ shape: { type: 'command', command: 'node', args: ['another.js'] } });
    expect((await accepted()).pinned).toBeNull();
    const session = await startSession(2);
    await report(session, listOf([tool('read', 'another')]));
    expect(await check(session, 'read', ['another'])).toBe('allowed');
    await report(earlier, listOf([tool('read', 'another')]));
    expect(await check(earlier, 'read', ['another'])).toBe('tool_changed');
    expect((await accepted('?version=1')).tool_definitions).toMatchObject([{ text: 'what read does' }]);
  });

  it('never makes the next list of a version of long ago its first', async () => {
    const earlier = await startSession(1);
    for (let at = 0; at < 11; at += 1) {
      await replace({ approvers: at % 2 === 0 ? 'admin' : 'operator' });
    }
    expect((await accepted('?version=1')).tool_definitions).toEqual([]);
    await report(earlier, listOf([tool('read', 'another')]));
    expect(await check(earlier, 'read', ['another'])).toBe('tool_changed');
    expect((await accepted()).tool_definitions).toMatchObject([{ tool: 'read' }]);
  });

  it('refuses the calls of a removed entry', async () => {
    const session = await startSession();
    await admin.ok('DELETE', path());
    await report(session, listOf([tool('read')]));
    expect(await check(session, 'read', ['what read does'])).toBe('tool_changed');
  });
});

it('shows no secret that a server puts into a description', async () => {
  const secret = 'sesame-of-the-server';
  await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: secret });
  const env = { TOKEN: { kind: 'secret', secret_name: 'TOKEN', secret_version: 1 } } as const;
  const session = await startSession(1, env);
  await report(session, listOf([tool('read', `reads with ${secret}`)]));
  await report(session, listOf([tool('read', 'another')]));
  await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: `${secret}-2` });
  await report(session, listOf([tool('read', `now with ${secret}`)]));
  const shown = JSON.stringify([await accepted(), await differences()]);
  expect(shown).toContain('reads with [secret]');
  expect(shown).not.toContain(secret);
  expect(shown).not.toContain(digestOf(`reads with ${secret}`));
  const stored = await api.db('tool_definitions').where({ mcp_server_id: entryId }).pluck('text');
  expect(stored.sort()).toEqual(['', 'another', 'reads with [secret]']);
});

it('refuses a report that is not one', async () => {
  const session = await startSession();
  const wrong = [
    listOf([{ ...tool('read'), digest: 'x' }]),
    listOf([tool('')]),
    listOf([tool('read', 'x'.repeat(toolListLimits.textCharacters + 1))]),
    { ...listOf([]), extra: 1 },
  ];
  for (const list of wrong) {
    expect((await api.asSidecar(session.id, 'POST', 'tool-lists', list)).status).toBe(422);
  }
  // Of a server that the session does not have.
  await report(session, listOf([tool('read')], { server: 'other' }));
  expect((await accepted()).pinned).toBeNull();
});
