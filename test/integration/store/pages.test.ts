/**
 * Pages end early where rows are large, and still give every row once: all lists read theirs in the same way.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page, PageQuery } from '../../../contract/page.ts';
import type { Session } from '../../../contract/session.ts';
import { listAgents } from '../../../store/agents/agents.ts';
import { auditEventBatches, listAuditEvents } from '../../../store/audit-events/list.ts';
import { listMcpServers } from '../../../store/mcp-servers/mcp-servers.ts';
import { pageBytes } from '../../../store/page.ts';
import { listPermissionRequests } from '../../../store/permission-requests/requests.ts';
import { listSessionEvents } from '../../../store/session-events/list.ts';
import { listSessions } from '../../../store/sessions/list.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { announcedSeed, type SeededRandom, seededRandom } from '../../support/seeded-random.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

/** A row may be this large without what is large in it. */
const rowBytes = 4096;
const count = 60;

let database: TestDatabase;
let tenant: Tenant;
let session: Session;
let random: SeededRandom;
/** Bytes of the largest answer of the database since it was set to 0. */
let largestAnswer = 0;

beforeAll(async () => {
  random = seededRandom(announcedSeed('pages', 'PAGES_SEED'));
  database = await createTestDatabase();
  database.db.on('query-response', ({ rows }: { rows?: unknown }) => {
    largestAnswer = Math.max(largestAnswer, Buffer.byteLength(JSON.stringify(rows ?? null)));
  });
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  session = await tenant.session(await tenant.agent({ name: '0' }));
});
afterAll(() => database.drop());

/**
 * Some small, some large, and some that alone are more than a page: control
 * characters take six bytes in JSON.
 */
const sizes = () =>
  Array.from({ length: count }, () =>
    random.chance(5) ? -200 * 1024 : random.below(random.chance(50) ? 1000 : 256 * 1024),
  );
/** Runs `insert ... select ... from texts`, which has `n` and `text`: all rows are of one moment. */
const insert = (statement: string, values: (string | number)[]) =>
  database.db.raw(
    `with texts as (
       select n, repeat(case when size < 0 then chr(1) else 'x' end, abs(size)) as text
       from unnest(?::int[]) with ordinality as given(size, n)
     ) ${statement}`,
    [sizes(), ...values],
  );

const sizeOf = (items: readonly unknown[]) => Buffer.byteLength(JSON.stringify(items));
const expectPage = (items: readonly unknown[]) =>
  expect(items.length === 1 || sizeOf(items) < pageBytes + items.length * rowBytes).toBe(true);

async function follow<Item extends Listed>(
  list: (page: PageQuery) => Promise<Page<Item>>,
  limit: number,
): Promise<Item[][]> {
  const pages: Item[][] = [];
  let cursor: string | undefined;
  do {
    largestAnswer = 0;
    const { items, nextCursor } = await list({ limit, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(items);
    expect(items.length).toBeLessThanOrEqual(limit);
    expectPage(items);
    expect(largestAnswer).toBeLessThan(Math.max(pageBytes, sizeOf(items)) + items.length * rowBytes);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

interface Listed {
  id: string;
  name?: string;
  created_at?: string;
}

interface ListCase {
  insert(): Promise<unknown>;
  list(page: PageQuery): Promise<Page<Listed>>;
  /** What the list is ordered by. */
  key: keyof Listed;
  descending: boolean;
  /** Rows that are there without the inserted ones. */
  others: number;
}

const workspaceId = () => tenant.workspace.id;
const lists: Record<
  'agents' | 'catalog entries' | 'sessions' | 'permission requests' | 'audit events',
  ListCase
> = {
  agents: {
    insert: () =>
      insert(
        `insert into agents (workspace_id, name, name_caseless, name_seen, kind, run, instructions, network, limits)
         select ?, 'agent ' || lpad(n::text, 4, '0'), n::text, n::text, 'worker', '{"type":"builtin","name":"scripted"}', text, 'none', '{"total_seconds":null,"idle_seconds":null}' from texts`,
        [workspaceId()],
      ),
    list: (page: PageQuery) => listAgents(database.db, workspaceId(), page),
    key: 'name',
    descending: false,
    others: 1,
  },
  'catalog entries': {
    insert: () =>
      insert(
        `insert into mcp_servers (workspace_id, name, name_caseless, name_seen, shape, manifest, manifest_source, network)
         select ?, 'entry-' || lpad(n::text, 4, '0'), n::text, n::text, jsonb_build_object('type', 'command', 'command', 'x', 'args', jsonb_build_array()),
           jsonb_build_object('env', jsonb_build_object(), 'tool_scopes', (
             select jsonb_object_agg('tool' || m, 'files.' || repeat('x', 200)) from generate_series(0, length(text) / 250) as m)), 'none', 'none' from texts`,
        [workspaceId()],
      ),
    list: (page: PageQuery) => listMcpServers(database.db, workspaceId(), page),
    key: 'name',
    descending: false,
    others: 0,
  },
  sessions: {
    insert: () =>
      insert(
        `insert into sessions (workspace_id, agent_id, operator_id, root_operator_id, prompt)
         select ?, ?, ?, ?, text from texts`,
        [workspaceId(), session.agent_id, tenant.max.id, tenant.max.id],
      ),
    list: (page: PageQuery) => listSessions(database.db, workspaceId(), {}, page),
    key: 'created_at',
    descending: true,
    others: 1,
  },
  'permission requests': {
    insert: () =>
      insert(
        `insert into permission_requests (id, workspace_id, session_id, agent_id, grant_type, details, scope, justification, status, expires_at, decided_at)
         select gen_random_uuid(), ?, ?, ?, 'tool_scope', '{"scope":"files.write"}', 'once', text, 'expired', now(), now() from texts`,
        [workspaceId(), session.id, session.agent_id],
      ),
    list: (page: PageQuery) => listPermissionRequests(database.db, workspaceId(), {}, page),
    key: 'created_at',
    descending: true,
    others: 0,
  },
  'audit events': {
    insert: () =>
      insert(
        `insert into audit_events (id, workspace_id, event, actor_type, resource_type, resource_id, resource_name, data)
         select gen_random_uuid(), ?, 'agent.updated', 'system', 'agent', 'a', lpad(n::text, 4, '0'), jsonb_build_object('fields', jsonb_build_array(text)) from texts`,
        [workspaceId()],
      ),
    list: (page: PageQuery) =>
      listAuditEvents(database.db, workspaceId(), { events: ['agent.updated'] }, page),
    key: 'id',
    descending: true,
    others: 0,
  },
};

describe('a list of large rows', () => {
  it.each(Object.entries(lists))(
    'of %s gives each row once, in order, in pages of about a megabyte',
    async (_, each) => {
      await each.insert();
      const all = await follow(each.list, 200);
      const rows = all.flat();
      expect(all.length).toBeGreaterThan(2);
      expect(rows).toHaveLength(count + each.others);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      if (each.key !== 'id') {
        const keys = rows.map((row) => String(row[each.key]));
        const sorted = [...keys].sort();
        expect(keys).toEqual(each.descending ? sorted.reverse() : sorted);
      }
      // The same order in whatever pages.
      const limit = 1 + random.below(7);
      const ids = (await follow(each.list, limit)).flat();
      expect(ids.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    },
  );

  it('of audit events is exported whole', async () => {
    await lists['audit events'].insert();
    const names: string[] = [];
    const filter = { events: ['agent.updated' as const] };
    for await (const batch of auditEventBatches(database.db, workspaceId(), filter)) {
      names.push(...batch.map(({ resource }) => resource.name ?? ''));
    }
    expect(names).toEqual([...names].sort().reverse());
    expect(names).toHaveLength(count);
  });

  it('of a session’s events continues after the last one of each page', async () => {
    const before = (await listSessionEvents(database.db, session.id, { after: 0, limit: 200 })).length;
    await insert(
      `insert into session_events (id, session_id, seq, type, actor_type, payload)
       select gen_random_uuid(), ?, ?::int + n, 'agent.message', 'agent', jsonb_build_object('text', text) from texts`,
      [session.id, before],
    );
    const seen: number[] = [];
    let pages = 0;
    for (;;) {
      const events = await listSessionEvents(database.db, session.id, {
        after: seen.at(-1) ?? 0,
        limit: 200,
      });
      if (events.length === 0) {
        break;
      }
      pages += 1;
      expectPage(events);
      seen.push(...events.map(({ seq }) => seq));
    }
    expect(seen).toEqual(Array.from({ length: before + count }, (_, index) => index + 1));
    expect(pages).toBeGreaterThan(1);
  });
});
