/**
 * What the agents of a workspace ask of tools, beside another workspace: the API has
 * few connections for them.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { embeddingServersWith } from '../../../api/embedding-provider/provider-url.ts';
import { platformToolCallRoute } from '../../../api/platform-tools/routes.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { toolConnections, workspaceToolConnections } from '../../../config/tool-connections.ts';
import { internalToken } from '../../../contract/session-keys.ts';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import { openDatabase } from '../../../store/database.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { noWorkflows, silentFeed } from '../../support/no-workflows.ts';

let api: TestApi;
let toolDb: Knex;

beforeAll(async () => {
  const log = pino({ level: 'silent' });
  api = await startTestApi({}, (db, config) => {
    toolDb = openDatabase(config.DATABASE_URL, { poolSize: toolConnections(config.DATABASE_POOL) });
    return [
      platformToolCallRoute({
        ...{ db, toolDb, config, log, embeddingServers: embeddingServersWith(new Map()) },
        workflows: noWorkflows,
        eventFeed: silentFeed,
      }),
    ];
  });
});
afterAll(async () => {
  await toolDb.destroy();
  await api.stop();
});

/** A session and its child, and how the session's sidecar calls tools. */
async function openSession({ workspace, member, base }: Awaited<ReturnType<TestApi['workspace']>>) {
  const body = { name: 'a', run: { type: 'builtin', name: 'scripted' } };
  const { agent } = await member.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body);
  const [id, childId] = [randomUUID(), randomUUID()];
  const shared = { workspaceId: workspace.id, agentId: agent.id, prompt: '', rootOperatorId: member.user.id };
  await createSession(api.db, { ...shared, id, operatorId: member.user.id, parentSessionId: null });
  await createSession(api.db, { ...shared, id: childId, operatorId: null, parentSessionId: id });
  const headers = {
    [internalTokenHeader]: internalToken(api.config.SESSION_KEY_SEED, id),
  };
  const call = (name: string, given: object) =>
    api.anonymous.send(
      'POST',
      `/internal/sessions/${id}/platform-tools/calls`,
      { call_id: randomUUID(), name, arguments: given },
      headers,
    );
  return { call, childId };
}

const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

it('calls of a workspace leave a connection to others, those that wait for a child session included', async () => {
  const own = await openSession(await api.workspace());
  const other = await openSession(await api.workspace());
  const most = workspaceToolConnections(api.config);
  const node = (key: string) => ({ nodes: [{ type: 'thing', key, properties: {} }] });
  await api.db.transaction(async (trx) => {
    await trx.raw('lock table graph_nodes, session_events in access exclusive mode');
    // By another connection: a transaction sees the activity of its first look.
    const areWaiting = (count: number) =>
      eventually(async () => expect((await api.db.raw(waiting)).rows).toHaveLength(count));
    const asked = Array.from({ length: most }, (_, at) => own.call('graph_write', node(String(at))));
    await areWaiting(most);
    asked.push(own.call('read_child_output', { session_id: own.childId, wait_seconds: 0 }));
    const search = { collection: 'none', vector: [1, 0] };
    for (let called = 0; called < 3; called += 1) {
      expect(await other.call('vector_search', search)).toMatchObject({ status: 200 });
    }
    await areWaiting(most);
    await trx.commit();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
  });
});
