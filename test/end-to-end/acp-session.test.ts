/** The agent `acp` in its sandbox, with a program of somebody else, from a refused call to its end. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import { type DemoWorkspace, openDemoWorkspace } from '../support/demo-workspace.ts';
import type { FrontDoor } from '../support/front-door.ts';

const program = readFileSync('test/support/acp-agent/plain-agent.mjs', 'utf8');
let demo: DemoWorkspace;
let ada: FrontDoor;

beforeAll(async () => {
  demo = await openDemoWorkspace();
  ada = await demo.signIn('ada');
});
afterAll(() => demo?.close());

async function createAgent(name: string, env: Record<string, string>): Promise<Agent> {
  const run = { type: 'builtin', name: 'acp' };
  const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, { name, run, env });
  await ada.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'files', env: {} });
  return agent;
}

it('is refused a call, asks, makes exactly the approved call after the decision, and ends', async () => {
  // Encoded, since a value of an agent's environment has no `${`, which would refer to a secret.
  const encoded = Buffer.from(program).toString('base64');
  const command = ['node', '-e', `import('data:text/javascript;base64,${encoded}')`];
  const agent = await createAgent('plain', { ACP_COMMAND: JSON.stringify(command) });
  const session = await ada.startSession(agent.id, 'Write the report.');
  const request = await ada.openRequest(session.id);
  expect(request).toMatchObject({ refused_call: { server: 'files', tool: 'write_file' } });
  const grant = await ada.approve(request);
  expect(await ada.ended(session.id)).toMatchObject({
    status: 'completed',
    outcome: { summary: 'the report is written' },
  });
  const calls = (await ada.toolCalls(session.id)).filter(({ data }) => data['name'] === 'files');
  expect(calls.map(({ data }) => [data['tool'], data['outcome'], data['granted_via']])).toEqual([
    ['write_file', 'permission_required', null],
    ['write_file', 'ok', grant.id],
  ]);
});

it('says what an operator has to install', async () => {
  const agent = await createAgent('absent', { ACP_PRESET: 'claude', ACP_PACKAGES: '/nowhere' });
  const session = await ada.startSession(agent.id);
  expect(await ada.ended(session.id)).toMatchObject({ status: 'failed' });
  expect(JSON.stringify(await ada.events(session.id))).toContain('npm run acp:install -- claude');
});
