/**
 * The routes by which a sidecar lists and calls the tools that the API runs, and the counts that members see.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { collectionRoutes } from '../../../api/collections/routes.ts';
import { embeddingServersWith } from '../../../api/embedding-provider/provider-url.ts';
import { graphRoutes } from '../../../api/graph/routes.ts';
import {
  platformToolCallRoute,
  platformTools,
  platformToolsRoute,
} from '../../../api/platform-tools/routes.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { type ListedPlatformTool, platformToolList } from '../../../contract/platform-tools.ts';
import { internalToken } from '../../../contract/session-keys.ts';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { noWorkflows, silentFeed } from '../../support/no-workflows.ts';

const perMinute = 10;
let api: TestApi;
let member: Person;
let base: string;
let session: string;

beforeAll(async () => {
  const log = pino({ level: 'silent' });
  const overrides = {
    RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE: String(perMinute),
    LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS: '1',
  };
  api = await startTestApi(overrides, (db, config) => [
    platformToolsRoute(),
    platformToolCallRoute({
      ...{ db, toolDb: db, config, log, embeddingServers: embeddingServersWith(new Map()) },
      workflows: noWorkflows,
      eventFeed: silentFeed,
    }),
    ...collectionRoutes({ db }),
    ...graphRoutes({ db }),
  ]);
});
beforeEach(async () => {
  const opened = await api.workspace();
  ({ member, base } = opened);
  const body = { name: 'a', run: { type: 'builtin', name: 'scripted' } };
  const { agent } = await member.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body);
  session = randomUUID();
  await createSession(api.db, {
    ...{ id: session, workspaceId: opened.workspace.id, agentId: agent.id, prompt: '' },
    ...{ operatorId: member.user.id, rootOperatorId: member.user.id, parentSessionId: null },
  });
});
afterAll(() => api.stop());

const headers = () => ({ [internalTokenHeader]: internalToken(api.config.SESSION_KEY_SEED, session) });
const path = () => `/internal/sessions/${session}/platform-tools`;
const send = (body: unknown) => api.anonymous.send('POST', `${path()}/calls`, body, headers());
const call = (name: string, given: unknown, call_id: string = randomUUID()) =>
  send({ call_id, name, arguments: given });
const write = (key: string) => call('graph_write', { nodes: [{ type: 'thing', key, properties: {} }] });

describe('the tools that the API runs', () => {
  it('are listed with JSON Schemas for the session whose token asks', async () => {
    const listed = await api.anonymous.send('GET', path(), undefined, headers());
    expect(listed.status).toBe(200);
    const { tools } = platformToolList.parse(listed.body);
    expect(tools.map(({ name }: ListedPlatformTool) => name)).toEqual(platformTools.map(({ name }) => name));
    expect(tools[0]?.input_schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(await api.anonymous.send('GET', path())).toMatchObject({ status: 401 });
    expect(await api.anonymous.send('GET', path(), undefined, { cookie: member.cookie })).toMatchObject({
      status: 401,
    });
  });

  it('are run for that session, and answer 200 also when they fail', async () => {
    expect(await write('a')).toMatchObject({
      status: 200,
      body: { status: 'ok', result: { nodes: [{ created: true }] } },
    });
    expect(await call('graph_query', { match: {}, limit: 0 })).toMatchObject({
      status: 200,
      body: { status: 'failed', code: 'validation_failed', message: expect.stringContaining('limit') },
    });
    const [row] = await api.db('graph_nodes').where({ created_by_session: session });
    expect(row).toMatchObject({ key: 'a' });
  });

  it('have the same effect when a call is sent again', async () => {
    const id = randomUUID();
    const given = { nodes: [{ type: 'thing', key: 'a', properties: { n: 1 } }] };
    const [first, second] = [await call('graph_write', given, id), await call('graph_write', given, id)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await api.db('graph_nodes').where({ created_by_session: session })).toHaveLength(1);
  });

  it.each([
    ['an unknown tool', { name: 'graph_drop' }, 404],
    ['the name of something inherited', { name: 'constructor' }, 404],
    ['a name that is none', { name: 'Graph' }, 422],
    ['an id that the platform derives', { call_id: '00000000-0000-8000-8000-000000000000' }, 422],
    ['arguments that are a list', { arguments: [] }, 422],
    ['a further field', { workspace_id: randomUUID() }, 422],
  ])('are not run for %s', async (_what, wrong, status) => {
    const body = { call_id: randomUUID(), name: 'graph_query', arguments: { match: {} }, ...wrong };
    expect(await send(body)).toMatchObject({ status });
  });

  it.each([
    ['NUL', '"a\\u0000"', 422],
    ['half a surrogate pair', '"a\\ud800"', 422],
    ['a key named __proto__', '{"__proto__":1}', 422],
    ['too many values', `[${'0,'.repeat(10_000)}0]`, 413],
    ['more than 1 MiB', `"${'x'.repeat(1024 * 1024)}"`, 413],
  ])('refuse %s in a body', async (_what, json, status) => {
    const text = `{"call_id":"${randomUUID()}","name":"graph_query","arguments":{"match":${json}}}`;
    const response = await fetch(`${api.url}${path()}/calls`, {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json' },
      body: text,
    });
    expect(response.status).toBe(status);
  });

  it('refuse a number beyond all numbers by its field', async () => {
    const given = { nodes: [{ type: 'a', key: 'b', properties: { n: 0.125 } }] };
    const body = JSON.stringify({ call_id: randomUUID(), name: 'graph_write', arguments: given });
    const response = await fetch(`${api.url}${path()}/calls`, {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json' },
      body: body.replace('0.125', '1e400'),
    });
    expect(await response.json()).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('nodes.0.properties.n: is too large'),
    });
  });

  it('are called at most at twice the rate of an agent', async () => {
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 4 * perMinute) {
      statuses.push((await call('graph_resolve', { text: 'a' })).status);
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2 * perMinute);
    expect(await call('graph_resolve', { text: 'a' })).toMatchObject({
      status: 429,
      body: { error: { message: 'The limit is 20 calls of platform tools a minute of a session' } },
    });
  });

  it('wait for their turn, and are not run for a session that ended meanwhile', async () => {
    const holder = await api.db.transaction();
    await holder.raw('lock table graph_nodes in exclusive mode');
    const first = write('first');
    const second = write('second');
    await moveSession(api.db, session, { to: 'failed', reason: 'test' });
    await holder.rollback();
    const answers = [await first, await second];
    // Which of the two came first is not decided here, nor whether the second arrived
    // before the session's end.
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(1);
    expect(await api.db('graph_nodes').where({ created_by_session: session })).toHaveLength(
      answers.filter(({ status }) => status === 200).length,
    );
    expect(await write('third')).toMatchObject({ status: 401 });
  });
});

describe('the counts of a graph', () => {
  it('are shown to the members of its workspace', async () => {
    await write('a');
    await write('b');
    const ends = { from: { type: 'thing', key: 'a' }, to: { type: 'thing', key: 'b' } };
    await call('graph_relate', { ...ends, relation: 'near' });
    expect(await member.ok('GET', `${base}/graph`)).toEqual({
      graph: {
        nodes: 2,
        edges: 1,
        types: [{ type: 'thing', nodes: 2 }],
        relations: [{ relation: 'near', edges: 1 }],
        truncated: false,
      },
    });
    const stranger = await api.person();
    expect(await stranger.send('GET', `${base}/graph`)).toMatchObject({ status: 404 });
    expect(await api.anonymous.send('GET', `${base}/graph`)).toMatchObject({ status: 401 });
  });

  it('are none before anything was written', async () => {
    expect(await member.ok('GET', `${base}/graph`)).toEqual({
      graph: { nodes: 0, edges: 0, types: [], relations: [], truncated: false },
    });
  });
});

describe('the collections', () => {
  it('are listed for the members of their workspace', async () => {
    expect(await member.ok('GET', `${base}/collections`)).toEqual({ collections: [], truncated: false });
    await call('vector_upsert', { collection: 'b', items: [{ id: 'x', text: 'hello' }] });
    await call('vector_upsert', { collection: 'a', items: [{ id: 'x', vector: [1, 0] }] });
    const made = { items: 1, created_at: expect.any(String), created_by_session: session };
    expect(await member.ok('GET', `${base}/collections`)).toEqual({
      collections: [
        { ...made, name: 'a', dimensions: 2, embedder: { name: 'given', model: null } },
        { ...made, name: 'b', dimensions: 512, embedder: { name: 'local-hashed-ngrams', model: null } },
      ],
      truncated: false,
    });
    const stranger = await api.person();
    expect(await stranger.send('GET', `${base}/collections`)).toMatchObject({ status: 404 });
    expect(await api.anonymous.send('GET', `${base}/collections`)).toMatchObject({ status: 401 });
  });
});
