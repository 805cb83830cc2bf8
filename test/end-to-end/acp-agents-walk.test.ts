/** README's second walk as it stands: in the browser, with OpenCode as it is. The model is a stub. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, visit } from '../support/browser.ts';
import { openWalkPlaces, SecondWalk, type WalkPlaces } from '../support/second-walk/second-walk.ts';

/** As `npm run acp:install` does it. */
const runs = existsSync('agents/acp/packages/opencode/node_modules/.package-lock.json') ? it : it.skip;

describeInBrowser('the second walk', () => {
  let places: WalkPlaces;
  let browser: Browser;

  beforeAll(async () => {
    [places, browser] = await Promise.all([openWalkPlaces(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await places?.close();
  });

  runs('leads OpenCode from a repository to one approved push', async () => {
    const visitor = await visit(browser, { url: places.platform.url, as: 'ada' });
    const walk = new SecondWalk(places, visitor);
    await visitor.open('agents');
    await walk.registerRepository();
    await walk.chooseAgent(null);
    await walk.nameEndpoint();
    await walk.nameRepository();
    await walk.attachServer();
    await walk.startSession();
    await walk.approvePush();
    await walk.takePatchAndReadTokens();
    await walk.end();
    await visitor.leave();
  });
});
