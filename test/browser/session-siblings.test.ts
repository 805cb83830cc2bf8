/** What a session's page shows of the siblings of its agent, apart from its MCP servers. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Agent } from '../../contract/agent.ts';
import { describeInBrowser, openBrowser, phone, visit } from '../support/browser.ts';
import { type DemoWorkspace, openDemoWorkspace } from '../support/demo-workspace.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { describeWith } from '../support/sandbox-programs.ts';

describeInBrowser('siblings on the page of a session', () => {
  let demo: DemoWorkspace;
  let browser: Browser;
  let ada: FrontDoor;

  beforeAll(async () => {
    [demo, browser] = await Promise.all([openDemoWorkspace(), openBrowser()]);
    ada = await demo.signIn('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  describeWith('bwrap')('of which one is never ready', () => {
    it('are named apart, with the limit that the late one had', async () => {
      const run = { type: 'command', command: 'sh', args: ['-c', 'sleep 600'] };
      const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, {
        name: 'waits',
        run,
        siblings: [{ name: 'db', run, port: 5432, ready: { type: 'port', timeout_seconds: 2 } }],
      });
      await ada.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'files', env: {} });
      const { id } = await ada.startSession(agent.id);
      for (const context of [{}, phone]) {
        const visitor = await visit(browser, { ...demo, as: 'ada', context });
        const { page } = visitor;
        await visitor.open(`sessions/${id}`);
        await page
          .getByRole('region', { name: 'Launch' })
          .getByText('Start the agent, its servers and siblings')
          .waitFor();
        const card = page.getByRole('region', { name: 'Servers' });
        const sibling = card.getByRole('list', { name: 'Siblings' }).getByRole('listitem');
        await sibling.filter({ hasText: 'db' }).getByText('was not ready within 2 seconds').waitFor();
        expect(await card.getByText('SIGTERM').count()).toBe(0);
        const others = card.getByRole('list', { name: 'MCP servers and agent' });
        expect(await others.getByRole('listitem').allTextContents()).toEqual([
          expect.stringContaining('files'),
          expect.stringContaining('Agent'),
        ]);
        await visitor.checkAccessibility();
        await visitor.leave();
      }
    });
  });
});
