/**
 * Insights for three people: an admin, a member who operates sessions, and another member. Each has, also by
 * count, what happened in the sessions that their list shows.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSession } from '../../../commands/sessions/create.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { CallOutcome } from '../../../contract/audit-event.ts';
import type { WorkspaceInsights } from '../../../contract/home.ts';
import { homeBounds } from '../../../contract/home-bounds.ts';
import type { PermissionRequest, RequestStatus } from '../../../contract/permission-request.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let base: string;
let admin: Person;
let operator: Person;
let other: Person;
let agent: Agent;

const insightsOf = async (person: Person, query = ''): Promise<WorkspaceInsights> =>
  (await person.ok<{ insights: WorkspaceInsights }>('GET', `${base}/insights${query}`)).insights;

const sumOf = (days: readonly object[]) =>
  days
    .flatMap((day) => Object.values(day))
    .filter((value) => typeof value === 'number')
    .reduce((sum: number, value) => sum + value, 0);

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3600_000);

/** A session with calls, requests and tokens. */
async function session(
  person: Person,
  {
    calls = [],
    requests = [],
    tokens = 0,
    isShared = false,
  }: {
    calls?: CallOutcome[];
    requests?: { status: RequestStatus; seconds: number; daysAgo?: number }[];
    tokens?: number;
    isShared?: boolean;
  },
): Promise<string> {
  const of = { id: randomUUID(), workspaceId: workspace.id, agentId: agent.id, parentSessionId: null };
  const by = { operatorId: person.user.id, rootOperatorId: person.user.id };
  const { id } = await createSession(api.db, { ...of, ...by, prompt: 'Look' });
  await api.db('sessions').where({ id }).update({ shared_with_workspace: isShared });
  for (const outcome of calls) {
    await record(id, { event: 'session.mcp.tool_called', data: { name: 'files', tool: 'read', outcome } });
  }
  for (const { status, seconds, daysAgo: days = 0 } of requests) {
    const asked = daysAgo(days + 0.001);
    await api.db('permission_requests').insert({
      ...{ id: randomUUID(), workspace_id: workspace.id, session_id: id, agent_id: agent.id },
      grant_type: 'tool_scope',
      ...{ details: { scope: `files.${randomUUID()}` }, scope: 'session', justification: '', status },
      ...{ grant_id: status === 'approved' ? randomUUID() : null, created_at: asked.toISOString() },
      expires_at: daysAgo(-1).toISOString(),
      decided_at: status === 'open' ? null : new Date(asked.getTime() + seconds * 1000).toISOString(),
    });
  }
  if (tokens > 0) {
    await api.db('model_usage_days').insert({
      ...{ session_id: id, day: api.db.raw(`(now() at time zone 'utc')::date`), endpoint: 'house' },
      ...{ requests: 1, failed_requests: 0, input_tokens: tokens - 1, output_tokens: 1 },
      ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
  }
  return id;
}

const record = (sessionId: string, { event, data, at }: { event: string; data: object; at?: Date }) =>
  api.db('audit_events').insert({
    ...{ id: randomUUID(), workspace_id: workspace.id, event, at: (at ?? new Date()).toISOString() },
    ...{ actor_type: 'agent', actor_id: agent.id, session_id: sessionId, data: JSON.stringify(data) },
    ...{ resource_type: 'mcp_server', resource_id: 'files', resource_name: 'files' },
  });

beforeAll(async () => {
  api = await startSessionApi();
  ({ workspace, admin, member: operator, base } = await api.workspace());
  other = await api.person('Olga Other');
  await api.join(workspace, other, 'member');
  ({ agent } = await operator.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    ...{ name: 'scribe', run: { type: 'builtin', name: 'scripted' }, instructions: '{"steps":[]}' },
  }));
  const own = await session(operator, {
    calls: ['ok', 'ok', 'permission_required', 'tool_error'],
    requests: [
      { status: 'approved', seconds: 10 },
      { status: 'denied', seconds: 30 },
      { status: 'expired', seconds: 9000 },
    ],
    tokens: 100,
  });
  await record(own, {
    event: 'session.mcp.calls_refused',
    data: { name: 'files', tool: 'read', outcome: 'refused', count: 40 },
  });
  await record(own, {
    event: 'session.mcp.tool_called',
    data: { name: 'files', tool: 'read', outcome: 'ok' },
    at: daysAgo(40),
  });
  await session(admin, {
    calls: ['ok', 'server_unavailable'],
    requests: [
      { status: 'approved', seconds: 80 },
      { status: 'open', seconds: 0 },
      { status: 'approved', seconds: 20_000, daysAgo: 40 },
    ],
    tokens: 50,
  });
  await session(admin, { calls: ['unknown'], tokens: 7, isShared: true });
  await session(other, { requests: [{ status: 'cancelled', seconds: 5 }] });
});
afterAll(() => api.stop());

describe('the insights of a workspace', () => {
  it('count for each person the sessions that their list shows, and no other', async () => {
    const seen = await Promise.all(
      [admin, operator, other].map(async (person) => {
        const { requests, calls, median_decision_seconds, model_tokens } = await insightsOf(person);
        return {
          ...{ requests: sumOf(requests), calls: sumOf(calls), median_decision_seconds },
          tokens: model_tokens.total,
        };
      }),
    );
    expect(seen).toEqual([
      { requests: 6, calls: 47, median_decision_seconds: 30, tokens: 157 },
      { requests: 3, calls: 45, median_decision_seconds: 20, tokens: 107 },
      { requests: 1, calls: 1, median_decision_seconds: null, tokens: 7 },
    ]);
    const { sessions } = await other.ok<{ sessions: Session[] }>('GET', `${base}/sessions`);
    expect(sessions).toHaveLength(2);
  });

  it('have requests by what became of them, calls by outcome, and tokens by agent and endpoint', async () => {
    const { requests, calls, model_tokens, is_partial } = await insightsOf(operator, '?days=7');
    expect([requests.length, calls.length, is_partial]).toEqual([7, 7, false]);
    const total = (name: string) =>
      [...requests, ...calls].reduce(
        (sum, day) => sum + Number(Object.entries(day).find(([key]) => key === name)?.[1] ?? 0),
        0,
      );
    expect(
      ['approved', 'denied', 'expired', 'ok', 'permission_required', 'refused', 'tool_error'].map(total),
    ).toEqual([1, 1, 1, 2, 1, 40, 1]);
    expect(model_tokens.uses).toEqual([
      { agent: { id: agent.id, name: 'scribe' }, endpoint: 'house', used_tokens: 107 },
    ]);
  });

  it('go back as many days as were asked for, by the clock of the person', async () => {
    const { requests, calls, from } = await insightsOf(admin, '?days=90&time_zone=Asia/Kolkata');
    expect([sumOf(requests), sumOf(calls)]).toEqual([7, 48]);
    expect(from).toMatch(/T18:30:00.000Z$/);
    expect(requests).toHaveLength(90);
    for (const days of ['0', '91', 'x']) {
      expect((await admin.send('GET', `${base}/insights?days=${days}`)).status).toBe(422);
    }
  });

  it('lead to their rows: the requests since then', async () => {
    const since = async (query: string) =>
      (
        await operator.ok<{ permission_requests: PermissionRequest[] }>(
          'GET',
          `${base}/permission-requests?${query}`,
        )
      ).permission_requests.length;
    const { from } = await insightsOf(operator, '?days=7');
    expect(await since(`from=${from}&status=denied`)).toBe(1);
    expect(await since(`from=${new Date(Date.now() + 60_000).toISOString()}`)).toBe(0);
    expect((await operator.send('GET', `${base}/permission-requests?from=yesterday`)).status).toBe(422);
  });

  it('are of no other workspace, and for its members alone', async () => {
    const { admin: stranger, base: elsewhere } = await api.workspace();
    expect((await stranger.send('GET', `${base}/insights`)).status).toBe(404);
    const { insights } = await stranger.ok<{ insights: WorkspaceInsights }>('GET', `${elsewhere}/insights`);
    expect([sumOf(insights.requests), sumOf(insights.calls), insights.model_tokens.total]).toEqual([0, 0, 0]);
  });

  it('read a bounded number of rows, by their indexes', async () => {
    await api.db.raw(
      `insert into audit_events (id, workspace_id, event, at, actor_type, actor_id, session_id, data,
         resource_type, resource_id, resource_name)
       select gen_random_uuid(), :workspaceId, 'session.mcp.tool_called', now() - n * interval '1 second', 'agent',
         :agentId, s.id, '{"name":"files","tool":"read","outcome":"ok"}', 'mcp_server', 'files', 'files'
       from generate_series(1, :count) n, lateral (select id from sessions where workspace_id = :workspaceId limit 1) s`,
      { workspaceId: workspace.id, agentId: agent.id, count: homeBounds.callEntries + 5000 },
    );
    await api.db.raw('analyze audit_events');
    const nodes = await planOf(() => insightsOf(admin, '?days=90'));
    const ofTrail = nodes.filter((node) => node['Relation Name'] === 'audit_events');
    expect(ofTrail.map((node) => node['Index Name'])).toEqual(['audit_events_calls_by_time']);
    const visited = ofTrail.reduce(
      (sum, node) => sum + node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0),
      0,
    );
    expect(visited).toBeLessThanOrEqual(homeBounds.callEntries);
    const { calls, is_partial } = await insightsOf(admin, '?days=90');
    expect(is_partial).toBe(true);
    expect(sumOf(calls)).toBeLessThan(homeBounds.callEntries + 100);
  });
});

interface PlanNode {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Of the statements on the trail that `read` makes, all nodes of their plans. */
async function planOf(read: () => Promise<unknown>): Promise<PlanNode[]> {
  const statements: { sql: string; bindings: unknown[] }[] = [];
  const listen = (statement: { sql: string; bindings: unknown[] }) => statements.push(statement);
  api.db.on('query', listen);
  await read().finally(() => api.db.removeListener('query', listen));
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const plans: PlanNode[] = [];
  for (const { sql, bindings } of statements.filter(({ sql }) => sql.includes('calls_refused'))) {
    const text = sql.replaceAll(/\$\d+/g, '?');
    const { rows } = await api.db.raw(`explain (analyze, format json) ${text}`, bindings as never);
    plans.push(...nodes(rows[0]['QUERY PLAN'][0].Plan));
  }
  return plans;
}
