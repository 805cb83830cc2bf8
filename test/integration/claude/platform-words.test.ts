/**
 * What a model does that goes by the words of the platform's tools alone, on a real database: it asks
 * once, waits in a call, and repeats none without an end. The tools are those of the API; the
 * decisions of people are a test's.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { platformTools } from '../../../api/platform-tools/routes.ts';
import { listedTool } from '../../../api/platform-tools/tool.ts';
import { publishEvent } from '../../../commands/session-events/publish.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { PlatformToolAnswer } from '../../../contract/platform-tools.ts';
import type { Session, TerminalStatus } from '../../../contract/session.ts';
import type { EventReport } from '../../../contract/sidecar.ts';
import { listSessionInputs } from '../../../store/session-inputs/inputs.ts';
import { describeWithClaude } from '../../support/claude-package.ts';
import { eventually } from '../../support/eventually.ts';
import { type LiteralModel, literalModel } from '../../support/model-stub/literal-model.ts';
import { call } from '../../support/model-stub/turns.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { childOf, grantSpawn, rootSession } from '../../support/session-trees.ts';
import { bundlePrograms } from '../sidecar/programs.ts';
import { TestSession, until } from '../sidecar/session.ts';
import { bundleClaudeAgent, type ClaudeAgent, startClaudeAgent } from './claude-session.ts';
import { decide } from './decide.ts';

let bundled: ReturnType<typeof bundleClaudeAgent>;
let tools: TestTools;
let parent: Session;
let worker: Agent;
let session: TestSession;
let agent: ClaudeAgent;

/**
 * The model as the agent of a stored session, whose tools the API runs; `beforeFirst` comes
 * before the first of its calls.
 */
async function run(
  model: LiteralModel,
  caller: Session,
  beforeFirst: () => Promise<void> = async () => undefined,
): Promise<void> {
  let isFirst = true;
  session.platform.tools = platformTools.map(listedTool);
  session.platform.onToolCall = async ({ call_id, name, arguments: given }) => {
    if (isFirst) {
      isFirst = false;
      await beforeFirst();
    }
    return tools.call(caller, name, given, call_id);
  };
  const script = Array.from({ length: 20 }, () => model.answer);
  agent = await startClaudeAgent(bundled.program, session, script, { servers: [] });
}

const called = (name: string) => session.platform.toolCalls.filter((each) => each.name === name);
const childOfParent = async (): Promise<string> => {
  const [id] = await tools.db('sessions').where({ parent_session_id: parent.id }).pluck('id');
  return String(id);
};
const publish = (id: string, event: Pick<EventReport, 'type' | 'payload'>) =>
  publishEvent(tools.db, { ...parent, id }, { id: randomUUID(), ...event } as EventReport, {
    limitBytes: 1_000_000,
  });
const end = (id: string, to: TerminalStatus) => moveSession(tools.db, id, { to, reason: 'it ended' });
/**
 * What the platform tells the parent, as its sidecar is given it: after the messages
 * that the test made itself.
 */
const tellParent = async (madeBefore: number) => {
  const inputs = await listSessionInputs(tools.db, parent.id, { after: 0 });
  await session.inject(...inputs.map((each) => ({ ...each, seq: each.seq + madeBefore })));
};

const spawning = (waitSeconds: number) =>
  literalModel({
    wanted: () => call('platform.spawn_session', { agent_id: worker.id, prompt: 'Read the tickets' }),
    waitSeconds,
    known: { agent_id: worker.id },
  });
const making = (name: string, input: Record<string, unknown>) =>
  literalModel({ wanted: () => call(`platform.${name}`, input), waitSeconds: 0 });

describeWithClaude('a model that goes by the words of the platform', () => {
  beforeAll(async () => {
    bundled = bundleClaudeAgent();
    tools = await openTools({
      RATE_SESSION_MESSAGES_PER_MINUTE: '20',
      LIMIT_PREVIEWS_PER_SESSION: '1',
      LIMIT_RUNNING_CHILDREN_PER_SESSION: '1',
      LIMIT_GRAPH_NODES_PER_WORKSPACE: '1',
    });
  });
  afterAll(async () => {
    bundled.remove();
    await tools.close();
  });
  beforeEach(async () => {
    const tenant = tools.tenantOf(await tools.caller());
    ({ session: parent } = await rootSession(tools.db, tenant));
    worker = await tenant.agent();
    session = await new TestSession(await bundlePrograms(), {}).start();
  });
  afterEach(async () => {
    await agent.stop();
    await session.stop();
  });

  it('asks once for a child that nobody has allowed, starts it, and reads it to its end', async () => {
    const model = spawning(60);
    await run(model, parent);
    await until(() => session.platform.requests.length === 1, 'the request');
    expect(session.platform.requests[0]).toMatchObject({
      ...{ grant_type: 'spawn', details: { child_agent_id: worker.id }, scope: 'session' },
    });
    await grantSpawn(tools.db, parent, worker, { scope: 'session', session_id: parent.id });
    await decide(session, 'approved');
    await until(() => called('read_child_output').length === 1, 'the first look');
    const child = await childOfParent();
    await publish(child, { type: 'agent.status', payload: { status: 'Reading', detail: null } });
    await until(() => called('read_child_output').length === 2, 'the second look');
    await end(child, 'completed');
    await until(() => model.did.includes('finished'), 'the model to finish');
    await tellParent(1);
    await until(() => model.did.includes('gave up'), 'the model to read of the end');
    expect(model.did).toEqual([
      ...['list_spawnable_agents', 'asked', 'called', 'read_child_output', 'read_child_output'],
      ...['finished', 'gave up'],
    ]);
    expect(session.platform.requests).toHaveLength(1);
  });

  it('ends its turn while nobody decides on a child, and starts it with the decision', async () => {
    const model = spawning(0);
    await run(model, parent);
    await until(() => model.did.includes('waited'), 'the model to wait');
    await grantSpawn(tools.db, parent, worker, { scope: 'session', session_id: parent.id });
    await decide(session, 'approved');
    await until(() => called('read_child_output').length === 1, 'the look');
    expect(model.did).toEqual(['list_spawnable_agents', 'asked', 'waited', 'called', 'read_child_output']);
    expect(session.platform.requests).toHaveLength(1);
    await end(await childOfParent(), 'completed');
  });

  it.each([
    ['completed', 'finished'],
    ['failed', 'gave up'],
    ['terminated', 'gave up'],
  ] as const)('reads a child once that ends as %s without a word', async (status, does) => {
    await grantSpawn(tools.db, parent, worker);
    const model = spawning(0);
    await run(model, parent);
    await until(() => called('read_child_output').length === 1, 'the look');
    await end(await childOfParent(), status);
    await until(() => model.did.includes(does), 'the model to go on');
    expect(model.did).toEqual(['list_spawnable_agents', 'called', 'read_child_output', does]);
  });

  it('rests while a child waits for a person, and reads it when its end is reported', async () => {
    await grantSpawn(tools.db, parent, worker);
    const model = spawning(0);
    await run(model, parent);
    await eventually(async () => expect(await childOfParent()).not.toBe('undefined'));
    const child = await childOfParent();
    const question = { input_request_id: randomUUID(), prompt: 'Which?', options: [] };
    await publish(child, { type: 'agent.input_requested', payload: question });
    await until(() => model.did.includes('waited'), 'the model to rest');
    await end(child, 'completed');
    await tellParent(0);
    await until(() => model.did.includes('finished'), 'the model to finish');
    expect(model.did).toEqual([
      ...['list_spawnable_agents', 'called', 'read_child_output', 'waited'],
      ...['read_child_output', 'finished'],
    ]);
  });

  it('sends what is beyond the rate once more, after the time that it is told', async () => {
    const child = await childOf(tools.db, parent, worker);
    // A slow agent would find that the rate allows one more.
    const useUpRate = async () => {
      let answer: PlatformToolAnswer;
      do {
        answer = await tools.call(child, 'message_caller', { text: 'a line' });
      } while (answer.status === 'ok');
    };
    const model = making('message_caller', { text: 'All lines' });
    await run(model, child, useUpRate);
    await until(() => model.did.includes('finished'), 'the model to finish');
    expect(model.did).toEqual(['called', expect.stringMatching(/^waited [1-3] s$/), 'called', 'finished']);
  });

  const page = { files: [{ path: 'index.html', text: '<p>hello' }] };
  const node = (key: string) => ({ nodes: [{ type: 'ticket', key, properties: {} }] });
  it.each([
    {
      ...{ refused: 'a preview beyond the limit', tool: 'preview_deploy', given: () => page },
      before: () => tools.ok(parent, 'preview_deploy', page),
    },
    {
      ...{ refused: 'a node beyond the limit', tool: 'graph_write', given: () => node('T-2') },
      before: () => tools.ok(parent, 'graph_write', node('T-1')),
    },
    {
      ...{ refused: 'a message to a child that has ended', tool: 'inject_message' },
      given: (child: string) => ({ session_id: child, text: 'Hurry' }),
      before: async () => {
        const { id } = await childOf(tools.db, parent, worker);
        await end(id, 'completed');
        return id;
      },
    },
  ])('tries $refused once, sends no request, and continues without it', async ({ tool, given, before }) => {
    const made = await before();
    const model = making(tool, given(String(made)));
    await run(model, parent);
    await until(() => model.did.length > 1, 'the model to go on');
    expect(model.did).toEqual(['called', 'gave up']);
    expect(session.platform.requests).toEqual([]);
  });

  it('starts no child beyond the limit, and tries once', async () => {
    await childOf(tools.db, parent, worker);
    const model = spawning(0);
    await run(model, parent);
    await until(() => model.did.length > 2, 'the model to go on');
    expect(model.did).toEqual(['list_spawnable_agents', 'called', 'gave up']);
    expect(session.platform.requests).toEqual([]);
  });
});
