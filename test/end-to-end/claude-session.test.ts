/**
 * The demo's agent claude through the front door, without a network: the model is asked by the platform, a
 * person approves, the call is made.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWithClaude } from '../support/claude-package.ts';
import { chooseTestPort } from '../support/free-port.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { demoModelKey, expectReportUnderGrant, startWriterModel, type WriterModel } from './writer.ts';

/** The first block of a page's commands that begins so. */
const commandsOf = (page: string, beginning: string): string =>
  readFileSync(page, 'utf8')
    .split('```sh\n')
    .map((text) => text.split('```')[0] ?? '')
    .find((text) => text.startsWith(beginning)) ?? '';
const signIn = commandsOf('docs/walk-through.md', 'api=');
const [post = ''] = commandsOf('docs/agent-contract.md', 'post() ').split('\n');
const guide = commandsOf('docs/bring-your-own-agent.md', 'post PUT ');

let model: WriterModel;
let platform: Platform;
let ada: FrontDoor;

describeWithClaude('a session of the agent claude', () => {
  beforeAll(async () => {
    const port = await chooseTestPort();
    const endpoint = `http://127.0.0.1:${port}`;
    model = await startWriterModel(port);
    platform = await startPlatform({
      env: { MODEL_BASE_URL: endpoint, PRIVATE_MCP_HOSTS: endpoint, DEMO_MODEL_KEY: demoModelKey },
      usesRunServers: true,
      withoutDemoSession: true,
    });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  });
  afterAll(async () => {
    await platform?.stop();
    await model?.close();
  });

  it('is refused a call, asks once, waits, makes the approved call, and ends', () =>
    expectReportUnderGrant(ada, model));

  it('is made by the commands of the guide, whose key is for no MCP server', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'guide-'));
    const script = [
      signIn.replace('http://127.0.0.1:8080', platform.url),
      post,
      guide.replace('sk-…', demoModelKey),
    ];
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
