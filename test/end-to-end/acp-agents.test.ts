/**
 * Agents of others, as they are, from a refused call to their end: the turn ends unanswered, the sidecar
 * dies, a person approves, and exactly the approved call is made. The model is a stub, so nothing is said of
 * how well an agent works.
 */
import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import { untilFound } from '../support/eventually.ts';
import { chooseTestPort } from '../support/free-port.ts';
import { FrontDoor } from '../support/front-door.ts';
import { volume } from '../support/mode.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { demoModelKey, expectReportUnderGrant, startWriterModel, type WriterModel } from './writer.ts';

/** As `npm run acp:install` does it. */
const isInstalled = (preset: string) =>
  existsSync(`agents/acp/packages/${preset}/node_modules/.package-lock.json`);
const all = [
  { preset: 'claude', endpoint: 'default', modelName: 'claude-sonnet-4-5' },
  // One that it does not know: those that it takes for its newest call tools from a script of their own.
  { preset: 'codex', endpoint: 'responses', modelName: 'a-model-of-ours' },
  { preset: 'opencode', endpoint: 'default', modelName: 'claude-sonnet-4-5' },
  { preset: 'opencode', endpoint: 'chat', modelName: 'a-model-of-ours' },
  { preset: 'opencode', endpoint: 'responses', modelName: 'a-model-of-ours' },
];
/** `npm run test:agents` has ten. */
const rounds = Array.from(
  { length: volume({ quick: 1, full: 1, long: 1 }, 'AGENT_ROUNDS') },
  (_, round) => round + 1,
);

let port: number;
let platform: Platform;
let ada: FrontDoor;
let model: WriterModel | undefined;

const nameOf = ({ preset, endpoint }: (typeof all)[number]) => `${preset} ${endpoint}`;

beforeAll(async () => {
  port = await chooseTestPort();
  const address = `http://127.0.0.1:${port}`;
  const endpoints = [
    { name: 'chat', dialect: 'chat_completions', base_url: `${address}/v1` },
    { name: 'responses', dialect: 'responses', base_url: `${address}/v1` },
  ];
  platform = await startPlatform({
    env: {
      ...{ MODEL_BASE_URL: address, MODEL_ENDPOINTS: JSON.stringify(endpoints) },
      PRIVATE_MCP_HOSTS: address,
    },
    usesRunServers: true,
    withoutDemoSession: true,
  });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  await ada.ok('PUT', `${ada.workspace}/secrets/MODEL_KEY`, { value: demoModelKey });
  for (const each of all.filter(({ preset }) => isInstalled(preset))) {
    await createAgent(each);
  }
});
afterEach(async () => {
  await model?.close();
  model = undefined;
});
afterAll(() => platform?.stop());

async function createAgent(created: (typeof all)[number]) {
  const { preset, endpoint, modelName } = created;
  const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, {
    ...{ name: nameOf(created), run: { type: 'builtin', name: 'acp', preset } },
    ...{ model: modelName, model_access: { api_key: '${MODEL_KEY}', endpoint, models: [modelName] } },
  });
  await ada.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'files', env: {} });
  await ada.ok('POST', `${ada.workspace}/grants`, {
    ...{ agent_subject_id: agent.id, grant_type: 'model_key', scope: 'persistent' },
    details: { secret_name: 'MODEL_KEY', endpoint },
  });
}

describe.each(rounds)('an agent of others, round %i', () => {
  for (const agent of all) {
    const runs = isInstalled(agent.preset) ? it : it.skip;
    runs(`${agent.preset} makes the approved call, by its endpoint ${agent.endpoint}`, async () => {
      model = await startWriterModel(port, { waitSeconds: 0 });
      await expectReportUnderGrant(ada, model, {
        writerName: nameOf(agent),
        async whileAsked(sessionId) {
          await untilFound('the end of its turn', async () =>
            (await ada.events(sessionId)).find(({ payload }) => payload['text'] === 'I wait.'),
          );
          await platform.kill('sidecar', sessionId);
        },
      });
      const asked = new Set(model.requests.map((request) => request.model));
      expect(asked).toEqual(new Set([agent.modelName]));
    });
  }
});
