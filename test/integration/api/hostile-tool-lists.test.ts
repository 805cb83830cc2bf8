/** What a hostile server, or a member who knows what it says, tries with lists of tools. */
import { beforeEach, expect, it } from '@jest/globals';
import type { FrozenServer, Session } from '../../../contract/session.ts';
import type { SessionEvent } from '../../../contract/session-event.ts';
import { toolListLimits } from '../../../contract/tool-definitions.ts';
import { derivedId } from '../../../store/session-events/append.ts';
import type { Person } from '../../support/api.ts';
import { useSessionApi } from '../../support/use-session-api.ts';
import { digestOf, listOf, report as reportList, sessionWith, tool } from './reported-lists.ts';

const api = useSessionApi();
let admin: Person;
let member: Person;
let base: string;
let entryId: string;

const entry = { name: 'files', shape: { type: 'command', command: 'node', args: ['server.js'] } };

beforeEach(async () => {
  ({ admin, member, base } = await api.workspace());
  const { mcp_server } = await admin.ok<{ mcp_server: { id: string } }>('POST', `${base}/mcp-servers`, entry);
  entryId = mcp_server.id;
});

const path = () => `${base}/mcp-servers/files`;

const startSession = (version = 1, env: FrozenServer['env'] = {}): Promise<Session> =>
  sessionWith(api, { person: member, base }, { entry_id: entryId, entry_version: version, env });
const report = (of: { id: string }, tools: object[]) => reportList(api, of, listOf(tools));

it('takes a report as large as a sidecar sends it', async () => {
  const session = await startSession();
  const text = JSON.stringify({ a: Array.from({ length: 40 }, (_, at) => ({ [`k${at}`]: [at, '"'] })) });
  await report(
    session,
    Array.from({ length: toolListLimits.tools }, (_, at) => tool(`t${at}`, text.slice(0, 380))),
  );
  expect(await admin.ok('GET', `${path()}/tool-definitions`)).toMatchObject({ pinned: { version: 1 } });
});

it('refuses a version that no entry can have', async () => {
  for (const version of ['99999999999', '9007199254740991']) {
    const { status } = await admin.send('GET', `${path()}/tool-definitions?version=${version}`);
    expect(status).toBe(422);
  }
});

it('tells nobody a secret through the id of an event', async () => {
  await admin.ok('PUT', `${base}/secrets/PIN`, { value: '4711' });
  const env = { PIN: { kind: 'secret', secret_name: 'PIN', secret_version: 1 } } as const;
  const session = await startSession(1, env);
  await report(session, [tool('read')]);
  await report(session, [tool('read', 'the pin is 4711')]);
  const { events } = await member.ok<{ events: SessionEvent[] }>('GET', `/api/sessions/${session.id}/events`);
  const id = events.find(({ type }) => type === 'session.tools_changed')?.id;
  // A member knows all of this but the value, and tries each.
  const guess = (pin: string) =>
    derivedId(
      session.id,
      'tools_changed',
      'files',
      digestOf(JSON.stringify([['tool', 'read', digestOf(`the pin is ${pin}`)]])),
    );
  const found = Array.from({ length: 10_000 }, (_, at) => `${at}`.padStart(4, '0')).filter(
    (pin) => guess(pin) === id,
  );
  expect(found).toEqual([]);
});

it('tells a session of changes, but not without end', async () => {
  const session = await startSession();
  await report(session, [tool('read')]);
  for (let at = 0; at < 110; at += 1) {
    await report(session, [tool('read', `poison ${at}`)]);
  }
  const [{ count } = {}] = await api
    .db('session_events')
    .where({ session_id: session.id, type: 'session.tools_changed' })
    .count();
  expect(Number(count)).toBe(100);
});

it('tells admins of a change in a session that runs an earlier version', async () => {
  const earlier = await startSession(1);
  await report(earlier, [tool('read')]);
  await admin.ok('PUT', path(), { ...entry, approvers: 'admin' });
  await report(earlier, [tool('read', 'poison')]);
  expect(await admin.ok('GET', `${base}/changed-mcp-servers`)).toMatchObject({
    changed_mcp_servers: [{ name: 'files', version: 1, waiting: 1 }],
  });
  await report(await startSession(2), [tool('read', 'also'), tool('more')]);
  expect(await admin.ok('GET', `${base}/changed-mcp-servers`)).toMatchObject({
    changed_mcp_servers: [{ name: 'files', version: 2, waiting: 2 }],
  });
  await api.db('tool_definitions').where({ version: 2 }).whereNull('accepted_at').delete();
  const ended = { status: 'completed' as const, ended_at: api.db.fn.now() };
  await api.db('sessions').where({ id: earlier.id }).update(ended);
  expect(await admin.ok('GET', `${base}/changed-mcp-servers`)).toEqual({
    changed_mcp_servers: [],
    next_cursor: null,
  });
});

it('shows no secret that is the name of a tool', async () => {
  const secret = 'sesame-of-the-server';
  await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: secret });
  const session = await startSession(1, {
    TOKEN: { kind: 'secret', secret_name: 'TOKEN', secret_version: 1 },
  });
  await report(session, [tool('read')]);
  await report(session, [tool(`${secret}-1`), tool(secret, 'another')]);
  const { tool_differences } = await member.ok<{ tool_differences: { tool: string }[] }>(
    'GET',
    `${path()}/tool-differences`,
  );
  expect(tool_differences.map((each) => each.tool).sort()).toEqual(['[secret]', '[secret]-1']);
  const { events } = await member.ok<{ events: SessionEvent[] }>('GET', `/api/sessions/${session.id}/events`);
  expect(JSON.stringify(events)).not.toContain(secret);
});
