/** Finding events: by several at once, by what belongs together, by outcome, tool and text; and counts. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { AuditEvent, AuditEventCounts } from '../../../contract/audit-event.ts';
import { appendAuditEvent } from '../../../store/audit-events/append.ts';
import {
  auditEventBatches,
  countAuditEvents,
  entriesLookedAt,
  listAuditEvents,
} from '../../../store/audit-events/list.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
let workspaceId: string;
let base: string;
let admin: Person;
let member: Person;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  const opened = await api.workspace();
  ({ admin, member, base } = opened);
  workspaceId = opened.workspace.id;
});
afterAll(() => api.stop());

interface Found {
  audit_events: AuditEvent[];
  next_cursor: string | null;
  looked_back_to: string | null;
}
const find = (query: string) => admin.ok<Found>('GET', `${base}/audit-events?${query}`);
const namesOf = async (query: string) =>
  (await find(query)).audit_events.map(({ event, resource }) => `${event} ${resource.name}`);
const countsOf = async (query = '') =>
  (await admin.ok<{ counts: AuditEventCounts }>('GET', `${base}/audit-event-counts?${query}`)).counts;

const called = (outcome: string, tool: string, data: object = {}) =>
  appendAuditEvent(api.db, {
    workspaceId,
    event: 'session.mcp.tool_called',
    actor: { type: 'agent', id: randomUUID() },
    resource: { type: 'mcp_server', id: randomUUID(), name: tool },
    data: { name: 'files', tool, outcome, ...data },
  });

async function someEvents(): Promise<void> {
  await called('ok', 'read_file', { arguments: { text: 'needle in the arguments' } });
  await called('refused', 'write_file', { granted_via: null });
  await called('permission_required', 'write_file');
  const by = { type: 'user' as const, id: member.user.id };
  const resource = (name: string) => ({ type: 'agent', id: randomUUID(), name });
  await appendAuditEvent(api.db, {
    workspaceId,
    event: 'agent.updated',
    actor: by,
    resource: resource('50%_x'),
  });
  await appendAuditEvent(api.db, { workspaceId, event: 'grant.created', actor: by, resource: resource('g') });
}

it('finds several events, views, outcomes and tools, and counts them', async () => {
  await someEvents();
  expect(await namesOf('event=agent.updated,grant.created')).toEqual([
    'grant.created g',
    'agent.updated 50%_x',
  ]);
  const changes = await find('kind=changes');
  expect(changes.audit_events.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['grant.created', 'agent.updated', 'workspace.created']),
  );
  expect(changes.audit_events.filter(({ event }) => event.startsWith('session.'))).toEqual([]);
  const refused = ['session.mcp.tool_called write_file', 'session.mcp.tool_called write_file'];
  expect(await namesOf('kind=refusals')).toEqual(refused);
  expect(await namesOf('outcome=refused,permission_required')).toEqual(refused);
  expect(await namesOf('tool=files.write_file')).toEqual(refused);
  expect(await namesOf('tool=read_file&outcome=refused')).toEqual([]);
  expect(await namesOf('kind=changes&event=session.mcp.tool_called')).toEqual([]);
  expect(await countsOf()).toMatchObject({
    outcomes: expect.arrayContaining([
      { value: 'ok', count: 1 },
      { value: 'refused', count: 1 },
    ]),
    tools: [
      { value: 'files.write_file', count: 2 },
      { value: 'files.read_file', count: 1 },
    ],
    is_whole: true,
  });
  const { events, total } = await countsOf('q=write_file');
  expect({ events, total }).toEqual({
    events: [{ value: 'session.mcp.tool_called', count: 2 }],
    total: 2,
  });
  for (const query of ['event=lost', 'outcome=lost', 'event=', 'q=x']) {
    expect(await admin.send('GET', `${base}/audit-events?${query}`)).toMatchObject({ status: 422 });
  }
});

it('finds a name, a person and the beginning of an id; a sign of a pattern is only itself', async () => {
  await someEvents();
  expect(await namesOf('q=50%25_X')).toEqual(['agent.updated 50%_x']);
  expect(await namesOf('q=%25%25')).toEqual([]);
  expect(await namesOf('q=max%20mem')).toEqual(['grant.created g', 'agent.updated 50%_x']);
  const [first] = (await find('event=agent.updated')).audit_events;
  expect(await namesOf(`q=${first?.id.slice(0, 13)}`)).toEqual(['agent.updated 50%_x']);
  // Not what a call was made with.
  expect(await namesOf('q=needle')).toEqual([]);
  const elsewhere = await api.workspace();
  const path = `${elsewhere.base}/audit-events?q=write_file`;
  expect(await elsewhere.admin.ok('GET', path)).toMatchObject({ audit_events: [] });
});

it('reads so many rows a page at most, says how far it looked, and finds what is older further on', async () => {
  await called('refused', 'rare_tool');
  const rows = 5 * entriesLookedAt;
  await api.db.raw(
    `insert into audit_events
       (id, workspace_id, event, actor_type, resource_type, resource_id, resource_name, data)
     select gen_random_uuid(), ?, case n % 3 when 0 then 'agent.updated' else 'session.mcp.tool_called' end,
       'system', 'agent', 'a', 'many', '{"name":"files","tool":"common","outcome":"ok"}'
     from generate_series(1, ?) as n`,
    [workspaceId, rows],
  );
  await api.db.raw('vacuum analyze audit_events');
  const first = await find('q=rare_tool');
  expect(first).toMatchObject({
    audit_events: [],
    next_cursor: expect.any(String),
    looked_back_to: expect.any(String),
  });
  const pages = [first];
  while (pages.at(-1)?.next_cursor != null) {
    pages.push(await find(`q=rare_tool&cursor=${pages.at(-1)?.next_cursor}`));
  }
  expect(pages.length).toBe(6);
  expect(pages.at(-1)).toMatchObject({
    audit_events: [{ resource: { name: 'rare_tool' } }],
    looked_back_to: null,
  });
  expect(await countsOf()).toMatchObject({ total: entriesLookedAt, is_whole: false });
  const page = { limit: 50, cursor: undefined };
  const few = ['session.mcp.tool_called', 'agent.updated'] as const;
  for (const filter of [
    { text: 'rare_tool' },
    { resource: 'rare_tool' },
    { to: '2020-01-01T00:00:00Z' },
    { from: '2020-01-01T00:00:00Z', events: few, resource: 'rare_tool' },
    { outcomes: ['refused'] as const, events: ['session.mcp.tool_called'] as const },
    { tool: 'rare_tool', events: few },
    { events: few },
  ]) {
    const read = await rowsReadBy(() => listAuditEvents(api.db, workspaceId, filter, page));
    expect({ filter, isBounded: read <= 4 * entriesLookedAt }).toEqual({ filter, isBounded: true });
  }
  expect(await rowsReadBy(() => countAuditEvents(api.db, workspaceId, {}))).toBeLessThanOrEqual(
    4 * entriesLookedAt,
  );
  // An export looks for where it stops once, not with each of its batches.
  let batches = 0;
  const statements = await statementsOf(async () => {
    for await (const _ of auditEventBatches(api.db, workspaceId, { resource: 'many' })) {
      batches += 1;
      if (batches === 5) {
        break;
      }
    }
  });
  expect(statements.filter(({ sql }) => sql.includes('offset'))).toHaveLength(1);
});

/** What `read` asks of the trail. */
async function statementsOf(read: () => Promise<unknown>): Promise<{ sql: string; bindings: unknown[] }[]> {
  const statements: { sql: string; bindings: unknown[] }[] = [];
  const listen = ({ sql, bindings }: { sql: string; bindings: unknown[] }) =>
    statements.push({ sql, bindings });
  api.db.on('query', listen);
  await read().finally(() => api.db.removeListener('query', listen));
  return statements.filter(({ sql }) => sql.includes('audit_events'));
}

/** How many rows of the trail the statements of `read` visit, by what Postgres says of each. */
async function rowsReadBy(read: () => Promise<unknown>): Promise<number> {
  let total = 0;
  for (const { sql, bindings } of await statementsOf(read)) {
    const text = sql.replaceAll(/\$\d+/g, '?');
    const { rows } = await api.db.raw(`explain (analyze, format json) ${text}`, bindings as never);
    total += visited(rows[0]['QUERY PLAN'][0].Plan);
  }
  return total;
}

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}
const visited = (node: PlanNode): number =>
  (node['Relation Name'] === 'audit_events'
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0) + (node.Plans ?? []).reduce((sum, child) => sum + visited(child), 0);
