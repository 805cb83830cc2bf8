/**
 * README's walk with a repository, an agent and a key of one's own, by a person who has the UI alone: the
 * agent is one that speaks ACP, by the preset for any.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { acpPresets } from '../../contract/acp-preset.ts';
import { describeInBrowser, openBrowser, type Visitor, visit } from '../support/browser.ts';
import { bundleForNode } from '../support/esbuild.ts';
import { openWalkPlaces, SecondWalk, type WalkPlaces } from '../support/second-walk/second-walk.ts';

/** As short as an argument has to be. */
function codingAgent(): string {
  const directory = mkdtempSync(join(tmpdir(), 'coding-agent-'));
  const file = join(directory, 'agent.mjs');
  bundleForNode(['test/support/acp-agent/coding-agent.mjs', '--minify', `--outfile=${file}`]);
  const program = readFileSync(file, 'utf8').trim();
  rmSync(directory, { recursive: true });
  return program;
}

describeInBrowser('the walk with what is one’s own', () => {
  let places: WalkPlaces;
  let browser: Browser;
  let visitor: Visitor;
  let walk: SecondWalk;

  beforeAll(async () => {
    [places, browser] = await Promise.all([openWalkPlaces(), openBrowser()]);
    visitor = await visit(browser, { url: places.platform.url, as: 'ada' });
    walk = new SecondWalk(places, visitor);
    await visitor.open('agents');
  });
  afterAll(async () => {
    await browser?.close();
    await places?.close();
  });

  it('sets up a repository, an agent with an endpoint, and its server', async () => {
    await walk.registerRepository();
    await walk.chooseAgent({
      ...{ label: acpPresets.custom.label, command: 'node' },
      args: ['--input-type=module', '-e', codingAgent()],
    });
    await walk.nameEndpoint();
    await walk.nameRepository();
    await walk.attachServer();
  });

  it('sees the agent write, approves its push, takes its patch and reads its tokens', async () => {
    await walk.startSession();
    await walk.approvePush();
    await walk.takePatchAndReadTokens();
    await walk.end();
    expect(places.git.requests.length).toBeGreaterThan(0);
    await visitor.leave();
  });
});
