/**
 * Every tool of the server `platform`, called by the official client through a real session: which validates
 * each result by the tool's schema.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, type Tool } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { sessionFiles } from '../../runtime/process/layout.ts';
import { sessionDirectory } from '../../runtime/process/session-record.ts';
import { waitForever } from '../support/asking-steps.ts';
import { type DemoWorkspace, openDemoWorkspace } from '../support/demo-workspace.ts';
import { untilFound } from '../support/eventually.ts';
import { nodeService, servedSite } from '../support/served-site.ts';
import { sharedPlatform } from '../support/shared-platform.ts';
import { createOrchestrator } from '../support/tree-steps.ts';

interface Call {
  tool: string;
  given: Record<string, unknown>;
  /** A part of the result, or the code of the refusal; an SDK's own refusal of an argument has no code. */
  answers?: Record<string, unknown>;
  refused?: string | null;
}

const grant = { grant_type: 'tool_scope', details: { scope: 'files.write' }, justification: 'To write.' };
const unknownId = '00000000-0000-4000-8000-000000000000';
const ada = { type: 'person', key: 'ada@example.com' };
const team = { type: 'team', key: 'engines' };
const anything = expect.anything();
/** As agents send a vector in fewer bytes: little-endian 32-bit floats. */
const base64Floats = (...numbers: number[]) => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, place) => {
    bytes.writeFloatLE(number, 4 * place);
  });
  return bytes.toString('base64');
};

/** In this order: later calls read what earlier ones wrote. */
const calls: Call[] = [
  { tool: 'emit_status', given: { status: 'Begun' }, answers: { event_id: anything } },
  { tool: 'emit_status', given: { status: '' }, refused: 'validation_failed' },
  {
    tool: 'emit_artifact',
    given: { name: 'a.txt', mime_type: 'text/plain', text: 'A' },
    answers: { size_bytes: 1 },
  },
  { tool: 'emit_artifact', given: { name: 'a.txt', mime_type: 'text/plain' }, refused: 'validation_failed' },
  {
    tool: 'request_input',
    given: { prompt: 'Which?', options: ['a', 'b'] },
    answers: { input_request_id: anything },
  },
  { tool: 'request_input', given: { prompt: 'Which?', wait_seconds: -1 }, refused: 'validation_failed' },
  { tool: 'emit_error', given: { message: 'A try failed' }, answers: { event_id: anything } },
  { tool: 'emit_error', given: {}, refused: 'validation_failed' },
  {
    tool: 'share',
    given: { text: 'Look', title: 'Look', audience: 'workspace' },
    answers: { url: anything },
  },
  { tool: 'share', given: { text: 'Look', title: 'Look', audience: 'link' }, refused: 'validation_failed' },
  { tool: 'request_grant', given: { ...grant, scope: 'once' }, answers: { status: 'sent' } },
  {
    tool: 'request_grant',
    given: { ...grant, grant_type: 'everything', scope: 'once' },
    refused: 'validation_failed',
  },
  {
    tool: 'request_permission',
    given: { ...grant, scope: 'session', wait_seconds: 0 },
    answers: { status: 'pending' },
  },
  { tool: 'request_permission', given: { ...grant, scope: 'always' }, refused: 'validation_failed' },
  {
    tool: 'graph_write',
    given: {
      nodes: [
        { ...ada, properties: { name: 'Ada' } },
        { ...team, properties: {} },
      ],
    },
    answers: {
      nodes: [
        { id: anything, created: true },
        { id: anything, created: true },
      ],
    },
  },
  { tool: 'graph_write', given: { nodes: [] }, refused: 'validation_failed' },
  {
    tool: 'graph_write',
    given: { nodes: [{ ...ada, properties: { size: 9007199254740992 } }] },
    refused: 'validation_failed',
  },
  { tool: 'graph_relate', given: { from: ada, relation: 'member_of', to: team }, answers: { created: true } },
  { tool: 'graph_relate', given: { from: ada, relation: 'knows', to: ada }, answers: { created: true } },
  {
    tool: 'graph_relate',
    given: { from: ada, relation: 'knows', to: { id: unknownId } },
    refused: 'not_found',
  },
  {
    tool: 'graph_query',
    given: { match: ada, traverse: [{ direction: 'both', depth: 3 }] },
    answers: { nodes: [expect.objectContaining(ada), expect.objectContaining(team)], truncated: false },
  },
  {
    tool: 'graph_query',
    given: { match: {}, traverse: [{ direction: 'out', depth: 99 }] },
    refused: 'validation_failed',
  },
  {
    tool: 'graph_resolve',
    given: { text: 'ada' },
    answers: { candidates: [expect.objectContaining({ ...ada, score: 1 })] },
  },
  { tool: 'graph_resolve', given: { text: '' }, refused: 'validation_failed' },
  {
    tool: 'graph_discover',
    given: {},
    answers: {
      types: [
        expect.objectContaining({ nodes: 1, type: 'person' }),
        expect.objectContaining({ nodes: 1, type: 'team' }),
      ],
    },
  },
  { tool: 'graph_discover', given: { type: 7 }, refused: 'validation_failed' },
  {
    tool: 'vector_upsert',
    given: {
      collection: 'tickets',
      items: [
        { id: 'T-17', vector: [1, 0, 0], metadata: { status: 'open' } },
        { id: 'T-18', vector: base64Floats(0.5, 0.5, 0), metadata: { status: 'closed' } },
      ],
    },
    answers: { created: 2, items: 2, dimensions: 3, embedder: { name: 'given', model: null } },
  },
  {
    tool: 'vector_upsert',
    given: { collection: 'tickets', items: [{ id: 'T-19', vector: [1, 0] }] },
    refused: 'validation_failed',
  },
  {
    tool: 'vector_upsert',
    given: { collection: 'tickets', items: [{ id: 'T-19', vector: base64Floats(1, 0, Number.NaN) }] },
    refused: 'validation_failed',
  },
  {
    tool: 'vector_upsert',
    given: { collection: 'notes', items: [{ id: 'n', text: 'The printer prints blank pages' }] },
    answers: { created: 1, embedder: { name: 'local-hashed-ngrams', model: null } },
  },
  {
    tool: 'vector_search',
    given: { collection: 'tickets', vector: [0, 1, 0], filter: { status: 'closed' } },
    answers: {
      matches: [{ id: 'T-18', score: expect.closeTo(Math.SQRT1_2, 5), metadata: { status: 'closed' } }],
    },
  },
  {
    tool: 'vector_search',
    given: { collection: 'notes', text: 'blank pages of the printer', top_k: 1 },
    answers: { matches: [expect.objectContaining({ id: 'n' })] },
  },
  { tool: 'vector_search', given: { collection: 'nothing', vector: [1] }, refused: 'not_found' },
  {
    tool: 'list_collections',
    given: {},
    answers: {
      collections: [
        expect.objectContaining({ name: 'notes', items: 1 }),
        expect.objectContaining({ name: 'tickets', items: 2 }),
      ],
    },
  },
  { tool: 'list_collections', given: { of: 'all' }, refused: 'validation_failed' },
  { tool: 'vector_delete', given: { collection: 'tickets', ids: ['T-17'] }, answers: { deleted: 1 } },
  { tool: 'vector_delete', given: { collection: 'tickets' }, refused: 'validation_failed' },
  { tool: 'post_message', given: { text: 'Hello' }, answers: { message_id: anything } },
  { tool: 'post_message', given: { text: 'Hello', channel: 'reports' }, refused: 'not_allowed' },
  {
    tool: 'preview_deploy',
    given: { files: [{ path: 'index.html', text: '<p>Hello</p>' }] },
    answers: { preview_id: anything, url: anything },
  },
  {
    tool: 'preview_deploy',
    given: { files: [{ path: '../index.html', text: '' }] },
    refused: 'validation_failed',
  },
  {
    tool: 'preview_deploy',
    given: { service: 'site', title: 'On demand' },
    answers: { preview_id: anything, url: anything },
  },
  { tool: 'preview_deploy', given: { service: 'nothing' }, refused: 'not_found' },
  {
    tool: 'preview_deploy',
    given: { service: 'site', files: [{ path: 'index.html', text: '' }] },
    refused: 'validation_failed',
  },
  {
    tool: 'list_spawnable_agents',
    given: {},
    answers: { agents: [expect.objectContaining({ name: 'started', scope: 'session', available: true })] },
  },
  { tool: 'list_spawnable_agents', given: { of: 'all' }, refused: 'validation_failed' },
  {
    tool: 'spawn_session',
    given: { agent_id: '{agent}', prompt: 'Begin', label: 'first' },
    answers: { session_id: anything, status: 'pending' },
  },
  { tool: 'spawn_session', given: { agent_id: unknownId, prompt: 'Begin' }, refused: 'not_found' },
  { tool: 'spawn_session', given: { agent_id: '{agent}' }, refused: 'validation_failed' },
  {
    tool: 'read_child_output',
    given: { session_id: '{child}', wait_seconds: 20 },
    answers: {
      waiting_for: null,
      outcome: null,
      events: [expect.objectContaining({ type: 'agent.status' })],
    },
  },
  { tool: 'read_child_output', given: { session_id: unknownId }, refused: 'not_found' },
  {
    tool: 'inject_message',
    given: { session_id: '{child}', text: 'Hello' },
    answers: { message_id: anything },
  },
  { tool: 'inject_message', given: { session_id: '{child}', text: ' ' }, refused: 'validation_failed' },
  { tool: 'message_caller', given: { text: 'Hello' }, answers: { message_id: anything } },
  { tool: 'message_caller', given: { text: 'Hello', session_id: '{child}' }, refused: 'validation_failed' },
  { tool: 'expect_quiet_for', given: { seconds: 60, reason: 'A build' }, answers: { until: anything } },
  { tool: 'expect_quiet_for', given: { seconds: 0 }, refused: 'validation_failed' },
  { tool: 'end_session', given: { outcome: 'perhaps' }, refused: 'validation_failed' },
  {
    tool: 'end_session',
    given: { outcome: 'completed', summary: 'All called.' },
    answers: { status: 'ending' },
  },
];

/** The agent that may be started, and the session that was started of it. */
const ids: Record<'{agent}' | '{child}', string> = { '{agent}': '', '{child}': '' };
const withIds = (given: Call['given']): Call['given'] =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value === '{agent}' || value === '{child}' ? ids[value] : value,
    ]),
  );

let workspace: DemoWorkspace;
let client: Client;
let tools: Tool[];
let ended: () => Promise<{ status: string }>;

beforeAll(async () => {
  workspace = await openDemoWorkspace();
  const person = await workspace.signIn('ada');
  const agent = await createOrchestrator(person, 'caller', [waitForever], { files: {} });
  ids['{agent}'] = (await person.createAgent('started', [waitForever], {})).id;
  await person.ok('PATCH', `/api/agents/${agent.id}`, { services: [nodeService('site', servedSite)] });
  const session = await person.startSession(agent.id);
  await untilFound('a session that runs', async () =>
    (await person.session(session.id)).status === 'running' ? true : null,
  );
  await person.ok('POST', `${person.workspace}/grants`, {
    ...{ agent_subject_id: agent.id, grant_type: 'spawn', details: { child_agent_id: ids['{agent}'] } },
    ...{ scope: 'session', session_id: session.id, reason: 'To call every tool.' },
  });
  const { dataDirectory } = await sharedPlatform();
  const directory = sessionDirectory(join(dataDirectory, 'sessions'), session.id);
  const socket = sessionFiles(directory).agentSocket('platform');
  client = new Client({ name: 'test-agent', version: '1' });
  const program =
    'const s = require("node:net").connect(process.argv[1]); process.stdin.pipe(s).pipe(process.stdout);';
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: ['-e', program, socket], env: {} }),
  );
  tools = (await client.listTools()).tools;
  ended = () => person.ended(session.id);
});
afterAll(async () => {
  await client?.close();
  await workspace?.close();
});

it('lists each of them once, with a schema for each direction', () => {
  const called = [...new Set(calls.map(({ tool }) => tool))];
  expect(tools.map(({ name }) => name).toSorted()).toEqual(called.toSorted());
  for (const { outputSchema } of tools) {
    expect(outputSchema).toMatchObject({ type: 'object' });
  }
});

it.each(calls)('$tool $given', async ({ tool, given, answers, refused }) => {
  const result = await client.callTool({ name: tool, arguments: withIds(given) });
  if (answers === undefined) {
    expect(result.isError).toBe(true);
    const failure = result._meta?.['platform/error'] as { code: string } | undefined;
    expect(failure?.code).toBe(refused);
  } else {
    expect(result.isError).not.toBe(true);
    expect(result.structuredContent).toMatchObject(answers);
    if (tool === 'spawn_session') {
      ids['{child}'] = String((result.structuredContent as { session_id: string }).session_id);
    }
  }
});

it('ends the session as it was asked to', async () => {
  expect(await ended()).toMatchObject({ status: 'completed' });
});
