/** Previews of services in a real browser: how people see one start, use it, and see it end. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agent.ts';
import { waitForever } from '../support/asking-steps.ts';
import { cookiesOf, describeInBrowser, note, type Visitor } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { nodeService, servedSite } from '../support/served-site.ts';

/** Long enough that a page can be looked at before. */
const crashes = `setTimeout(() => process.exit(7), 4000);
require('node:http').createServer((request, response) => response.end('still here')).listen(process.env.PORT || 8080, '127.0.0.1');`;
const late = `setTimeout(() => { ${servedSite} }, 5000);`;
const services = [
  nodeService('web', servedSite, { PORT: '8099' }),
  nodeService('late', late),
  nodeService('crashing', crashes),
];

describeInBrowser('previews of services', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
  });

  const ending: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0)) {
      await end();
    }
  });

  let count = 0;
  /** By the agent of a session of Ada's. */
  async function deploy(service: string) {
    count += 1;
    const title = `Served ${count}`;
    const steps = [{ call: 'platform.preview_deploy', arguments: { title, service } }, waitForever];
    const deployed = await deployedBy({
      name: `serves ${count}`,
      run: { type: 'builtin', name: 'scripted' },
      instructions: JSON.stringify({ steps }),
      services,
    });
    return { ...deployed, title };
  }

  /** By a session of this agent. */
  async function deployedBy(input: unknown) {
    const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, input);
    const { id: sessionId } = await ada.startSession(agent.id);
    ending.push(() => ada.send('POST', `/api/sessions/${sessionId}/terminate`, {}));
    const event = await untilFound('a preview', async () =>
      (await ada.events(sessionId)).find(({ type }) => type === 'agent.preview'),
    );
    return { agentId: agent.id, sessionId, previewId: String(event.payload['preview_id']) };
  }

  /**
   * Opens the preview from its page, as a person does, whether its service runs already or
   * not. Returns the new tab.
   */
  async function openFrom({ page, open }: Visitor, previewId: string): Promise<Page> {
    await open(`previews/${previewId}`);
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open in a new tab' }).click(),
    ]);
    return tab;
  }

  const serviceFact = ({ page }: Visitor, word: string) =>
    page.getByLabel('Facts of the preview').getByText(word, { exact: true });

  it('are named in the transcript and the list, start on demand, and take forms, events and sockets', async () => {
    const { agentId, sessionId, previewId, title } = await deploy('web');
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    // Opened at once: whoever is early waits in the opened page.
    const tab = await openFrom(visitor, previewId);
    await page.getByText('A service of an agent makes these pages').waitFor();
    await tab.getByRole('heading', { name: 'Served on demand' }).waitFor();
    await serviceFact(visitor, 'running').waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('service-preview-page');

    await tab.getByText('first. second.').waitFor();
    await tab.getByText('Echo: hello').waitFor();
    await tab.getByLabel('Word').fill('please');
    await tab.getByRole('button', { name: 'Send' }).click();
    await tab.getByText('You said please.').waitFor();

    await page.getByRole('link', { name: 'All live previews' }).click();
    const row = page.getByRole('row').filter({ hasText: title });
    await row.getByText('service web').waitFor();
    await row.getByText('running', { exact: true }).waitFor();
    await visitor.open(`sessions/${sessionId}`);
    await page
      .getByRole('region', { name: 'Transcript' })
      .getByText(/^service web · expires/)
      .waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page
      .getByRole('region', { name: 'Previews' })
      .getByText(/^service web · expires/)
      .waitFor();
    await visitor.open(`agents/${agentId}`);
    const service = page.getByRole('term').filter({ hasText: 'Service web' }).locator('..');
    await service.getByText('PORT', { exact: true }).waitFor();
    await service.getByText('8099', { exact: true }).waitFor();
    await visitor.leave();
  });

  it('are what the documented agent shows', async () => {
    const [, documented = ''] = /```json\n(.*?)\n```/s.exec(readFileSync('docs/previews.md', 'utf8')) ?? [];
    const { previewId } = await deployedBy(JSON.parse(documented));
    const visitor = await demo.visitAlone('ada');
    const tab = await openFrom(visitor, previewId);
    await tab.getByText('42 tickets are open').waitFor();
    await visitor.leave();
  });

  it('that listen late are waited for by the page that is open', async () => {
    const { previewId } = await deploy('late');
    const visitor = await demo.visitAlone('ada');
    const tab = await openFrom(visitor, previewId);
    // Its workload runs, and it takes no connection yet.
    await serviceFact(visitor, 'running').waitFor();
    await tab.getByRole('heading', { name: 'The service is starting' }).waitFor();
    await tab.getByRole('heading', { name: 'Served on demand' }).waitFor();
    await tab.getByText('Echo: hello').waitFor();
    await visitor.leave();
  });

  it('get no cookie, keep none, and are not told at which address they are open', async () => {
    const { previewId } = await deploy('web');
    const visitor = await demo.visitAlone('ada');
    const tab = await openFrom(visitor, previewId);
    await tab.getByRole('heading', { name: 'Served on demand' }).waitFor();
    const answered: string[] = [];
    tab.on('response', (response) => note(answered, cookiesOf(response)));
    await tab.reload();
    await tab.getByText('Echo: hello').waitFor();
    expect(await tab.evaluate('self.origin')).toBe('null');
    const cookie = await tab.evaluate(
      `(() => { try { document.cookie = 'a=b; domain=localhost'; return document.cookie; } catch (error) { return error.name; } })()`,
    );
    expect(cookie).toBe('SecurityError');

    const brought = await tab.evaluate<Record<string, string>>(
      `fetch('/headers', { credentials: 'include' }).then((answer) => answer.json(), () => fetch('/headers').then((answer) => answer.json()))`,
    );
    expect(brought['host']).toMatch(/^localhost(:\d+)?$/);
    for (const name of ['cookie', 'authorization', 'referer', 'x-service-request', 'x-forwarded-for']) {
      expect(brought).not.toHaveProperty([name]);
    }
    const [label = ''] = new URL(tab.url()).hostname.split('.');
    expect(label).toMatch(/^[0-9a-f]{40}$/);
    expect(JSON.stringify(brought)).not.toContain(label);

    await eventually(async () => expect(answered.some((each) => /\/events /.test(each))).toBe(true));
    expect(answered.filter((each) => !each.endsWith('without a cookie'))).toEqual([]);
    const cookies = await visitor.page.context().cookies();
    expect(cookies.map(({ domain, value }) => ({ domain, isStolen: value === 'stolen' }))).toEqual([
      { domain: new URL(demo.url).hostname, isStolen: false },
    ]);
    expect(await visitor.page.evaluate(`fetch('/api/me').then(({ status }) => status)`)).toBe(200);
    await visitor.leave();
  });

  it('that crash say so on the page that is open', async () => {
    const { sessionId, previewId } = await deploy('crashing');
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    await visitor.open(`previews/${previewId}`);
    await page.getByText('The service of this preview failed').waitFor();
    await page.getByText('The service exited with code 7').waitFor();
    await serviceFact(visitor, 'failed').waitFor();
    expect(await page.getByRole('link', { name: 'Open in a new tab' }).count()).toBe(0);
    await visitor.picture('service-preview-failed');
    await visitor.open(`sessions/${sessionId}`);
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await transcript.getByText(/^service crashing · failed/).waitFor();
    await transcript.getByText('The service exited with code 7').waitFor();
    await transcript.getByRole('link', { name: 'Details' }).waitFor();
    await visitor.open('previews');
    await page.getByRole('heading', { name: 'Previews', exact: true }).waitFor();
    await page.getByText('No live previews').waitFor();
    await visitor.leave();
  });

  it('close with their session, and when somebody ends them', async () => {
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    const ofSession = await deploy('web');
    const tab = await openFrom(visitor, ofSession.previewId);
    await tab.getByText('Echo: hello').waitFor();
    await ada.ok('POST', `/api/sessions/${ofSession.sessionId}/terminate`, {});
    await page.getByText('This preview has ended').waitFor();
    await serviceFact(visitor, 'stopped').waitFor();
    await tab.reload();
    await tab.getByRole('heading', { name: 'No preview is open here' }).waitFor();

    const ended = await deploy('web');
    const shown = await openFrom(visitor, ended.previewId);
    await shown.getByText('Echo: hello').waitFor();
    await page.getByRole('button', { name: 'End preview' }).click();
    const dialog = page.getByRole('dialog', { name: 'End this preview?' });
    await dialog.getByText(/^Its service is stopped/).waitFor();
    await dialog.getByRole('button', { name: 'End preview' }).click();
    await page.getByText('This preview has ended').waitFor();
    await serviceFact(visitor, 'stopped').waitFor();
    await shown.reload();
    await shown.getByRole('heading', { name: 'No preview is open here' }).waitFor();
    // The session and its agent go on.
    expect((await ada.session(ended.sessionId)).ended_at).toBeNull();
    await visitor.leave();
  });
});
