/** The demo's agent claude through the front door, without a network: the model is asked by the platform, a person approves, the call is made. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import type { ModelUsage } from '../../contract/model-access.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { describeWithClaude } from '../support/claude-package.ts';
import { untilFound } from '../support/eventually.ts';
import { chooseTestPort } from '../support/free-port.ts';
import { FrontDoor } from '../support/front-door.ts';
import { literalModel } from '../support/model-stub/literal-model.ts';
import { type ModelStub, startModelStub } from '../support/model-stub/start-model-stub.ts';
import { call, turn } from '../support/model-stub/turns.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

/** The first block of a page's commands that begins so. */
const commandsOf = (page: string, beginning: string): string =>
  readFileSync(page, 'utf8')
    .split('```sh\n')
    .map((text) => text.split('```')[0] ?? '')
    .find((text) => text.startsWith(beginning)) ?? '';
const signIn = commandsOf('README.md', 'api=');
const [post = ''] = commandsOf('docs/agent-contract.md', 'post() ').split('\n');
const guide = commandsOf('docs/bring-your-own-agent.md', 'post PUT ');

const key = 'sk-of-the-model-alone';
const path = '/workspace/report.txt';

let model: ModelStub;
let platform: Platform;
let ada: FrontDoor;
const literal = literalModel({
  wanted: () => call('files.write_file', { path, content: 'the report' }),
  waitSeconds: 120,
});

describeWithClaude('a session of the agent claude', () => {
  beforeAll(async () => {
    const port = await chooseTestPort();
    const endpoint = `http://127.0.0.1:${port}`;
    model = await startModelStub(
      [
        ...Array.from({ length: 4 }, () => literal.answer),
        ...Array.from({ length: 9 }, () =>
          turn(call('platform.end_session', { outcome: 'completed', summary: 'the report is written' })),
        ),
      ],
      port,
    );
    platform = await startPlatform({
      env: { MODEL_BASE_URL: endpoint, PRIVATE_MCP_HOSTS: endpoint, DEMO_MODEL_KEY: key },
      usesRunServers: true,
      withoutDemoSession: true,
    });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  });
  afterAll(async () => {
    await platform?.stop();
    await model?.close();
  });

  it('is refused a call, asks once, waits, makes the approved call, and ends', async () => {
    const { agents } = await ada.ok<{ agents: Agent[] }>('GET', `${ada.workspace}/agents`);
    const writer = agents.find(({ name }) => name === 'writer');
    const session = await ada.startSession(String(writer?.id), 'Write the report.');
    const request = await ada.openRequest(session.id);
    expect(request).toMatchObject({
      scope: 'once',
      details: { scope: 'files.write' },
      refused_call: { server: 'files', tool: 'write_file' },
    });
    const grant = await ada.approve(request);
    const spoken = (events: SessionEvent[]) =>
      events.find(({ payload }) => String(payload['text']).startsWith('It says:'));
    await untilFound('what the model says of the result', async () => spoken(await ada.events(session.id)));
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'Thank you, that is all.' });

    expect(await ada.ended(session.id)).toMatchObject({ status: 'completed' });
    expect(literal.did).toEqual(['called', 'asked', 'called', 'finished']);
    const calls = (await ada.toolCalls(session.id)).filter(({ data }) => data['name'] === 'files');
    expect(calls.map(({ data }) => [data['tool'], data['outcome'], data['granted_via']])).toEqual([
      ['write_file', 'permission_required', null],
      ['write_file', 'ok', grant.id],
    ]);
    expect(new Set(model.headers.map((headers) => headers['x-api-key']))).toEqual(new Set([key]));
    expect(JSON.stringify(await ada.events(session.id))).not.toContain(key);
    const { model_usage: usage } = await ada.ok<{ model_usage: ModelUsage }>(
      'GET',
      `/api/sessions/${session.id}/model-usage`,
    );
    // One more may have begun while the session ended.
    expect(usage.requests).toBeGreaterThanOrEqual(5);
    expect(usage.reached).toBeNull();
  });

  it('is made by the commands of the guide, whose key is for no MCP server', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'guide-'));
    const script = [signIn.replace('http://127.0.0.1:8080', platform.url), post, guide.replace('sk-…', key)];
    const output = execFileSync('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
      cwd: directory,
      encoding: 'utf8',
    });
    rmSync(directory, { recursive: true });
    const [, sessionId = ''] = /"session":\{"id":"([^"]+)"/.exec(output) ?? [];
    expect(await ada.ended(sessionId)).toMatchObject({
      status: 'completed',
      outcome: { summary: 'the report is written' },
    });
    expect(model.requests.at(-1)).toMatchObject({ model: 'claude-sonnet-4-5' });
    const path = `${ada.workspace}/secrets?include_uses=true`;
    const { secrets } = await ada.ok<{ secrets: object[] }>('GET', path);
    expect(secrets).toContainEqual(expect.objectContaining({ name: 'REPORTER_KEY', allowed_servers: [] }));
  });
});
