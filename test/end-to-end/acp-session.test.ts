/** The agent `acp` in its sandbox, with a program of somebody else, from a refused call to its end. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import { type DemoWorkspace, openDemoWorkspace } from '../support/demo-workspace.ts';
import { untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import type { MessageReader } from '../support/message-reader.ts';

const program = readFileSync('test/support/acp-agent/plain-agent.mjs', 'utf8');
let demo: DemoWorkspace;
let ada: FrontDoor;

beforeAll(async () => {
  demo = await openDemoWorkspace();
  ada = await demo.signIn('ada');
});
afterAll(() => demo?.close());

/** What of its messages was shown while they were written, each text once, by the id of the event. */
const written = ({ messages }: MessageReader) =>
  messages.flatMap((each) => (each.type === 'session.text' ? [each] : []));

async function createAgent(name: string, [command = '', ...args]: string[]): Promise<Agent> {
  const run = { type: 'builtin', name: 'acp', preset: 'custom', command, args };
  const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, { name, run });
  await ada.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'files', env: {} });
  return agent;
}

it('is refused a call, asks, is seen while it writes, makes exactly the approved call, and ends', async () => {
  const agent = await createAgent('plain', ['node', '--input-type=module', '-e', program]);
  const session = await ada.startSession(agent.id, 'Write the report.');
  const stream = await ada.openStream(`${session.id}:0`);
  const request = await ada.openRequest(session.id);
  expect(request).toMatchObject({ refused_call: { server: 'files', tool: 'write_file' } });
  const [first, grown] = await untilFound('a text that grows', async () => {
    const texts = written(stream);
    const grows = texts.length > 1 && /I wait\. I wait\. $/.test(texts.at(-1)?.text ?? '');
    return grows ? [texts[0], texts.at(-1)] : null;
  });
  expect(grown?.text.startsWith(first?.text ?? '-')).toBe(true);
  const grant = await ada.approve(request);
  expect(await ada.ended(session.id)).toMatchObject({
    status: 'completed',
    outcome: { summary: 'the report is written' },
  });
  // The event takes its place.
  const message = (await ada.events(session.id)).find(({ id }) => id === grown?.message_id);
  expect(message).toMatchObject({ type: 'agent.message' });
  expect(String(message?.payload['text']).startsWith(grown?.text ?? '-')).toBe(true);
  stream.close();
  const calls = (await ada.toolCalls(session.id)).filter(({ data }) => data['name'] === 'files');
  expect(calls.map(({ data }) => [data['tool'], data['outcome'], data['granted_via']])).toEqual([
    ['write_file', 'permission_required', null],
    ['write_file', 'ok', grant.id],
  ]);
});
