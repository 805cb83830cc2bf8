/**
 * Names instead of ids, pages that do not exist or are not permitted, and ids that are
 * shown as they are copied.
 */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { ask, waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, inPage, phone } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';

const anId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8}\b/;

describeInBrowser('people and ids in the web UI', () => {
  const demo = demoInBrowser();

  it('show members the names of owners and actors, and who the admins are', async () => {
    for (const context of [{ viewport: { width: 1280, height: 720 } }, phone]) {
      const visitor = await demo.visit('max', context);
      const { page } = visitor;
      for (const path of ['agents', 'catalog', 'secrets']) {
        await visitor.open(path);
        await page.getByRole('row').nth(1).waitFor();
        await page.getByText('…', { exact: true }).first().waitFor({ state: 'detached' });
        expect(await page.getByRole('main').textContent()).not.toMatch(anId);
      }
      await visitor.open('agents');
      await page.getByRole('row').filter({ hasText: 'scribe' }).getByText('Ada Admin').waitFor();
      await visitor.open('members');
      const row = page.getByRole('row').filter({ hasText: 'Ada Admin' });
      await row.getByRole('cell', { name: 'Admin', exact: true }).waitFor();
      expect(await page.getByText('@demo.test').count()).toBe(0);
      expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
      await visitor.checkAccessibility();
      await visitor.leave();
    }
  });

  it('name who acted in a session of another operator', async () => {
    const [ada, max] = await Promise.all([demo.signIn('ada'), demo.signIn('max')]);
    const agent = await max.createAgent('asking', [ask('once'), waitForever], { files: {} });
    const session = await max.startSession(agent.id);
    await ada.approve(await max.openRequest(session.id));
    const visitor = await demo.visitAlone('max');
    const { page } = visitor;
    // As if the session had more requests than the page loads the deciders of.
    await page.route('**/permission-requests?session_id=*', (route) =>
      route.fulfill({ json: { permission_requests: [], next_cursor: null } }),
    );
    await visitor.open(`sessions/${session.id}`);
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await transcript.getByText('Ada Admin', { exact: true }).waitFor();
    await max.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    expect(await page.getByText(/Someone|A former member/).count()).toBe(0);
    await visitor.leave();
  });

  it('say that a page was not found, and lead away from pages without access', async () => {
    const visitor = await demo.visit('max');
    visitor.expectInConsole(/40[13]|404/);
    const { page } = visitor;
    for (const path of [
      'agents/nonsense',
      `agents/${randomUUID()}`,
      'sessions/nonsense',
      'grants/nonsense',
      `approvals/${randomUUID()}`,
    ]) {
      await visitor.open(path);
      await page.getByRole('heading', { name: /was not found$/ }).waitFor();
    }
    await visitor.open('audit');
    await page.getByRole('heading', { name: 'You do not have access' }).waitFor();
    await page.getByRole('link', { name: 'Go to home page' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await visitor.leave();
  });

  it('are told when signing out failed', async () => {
    const visitor = await demo.visit('max');
    visitor.expectInConsole(/500|40[13]/);
    const { page } = visitor;
    const json = { error: { code: 'internal_error', message: 'It broke on purpose.', request_id: 'r' } };
    const still = page.getByRole('dialog', { name: 'You are still signed in' });
    await page.route('**/auth/sign-out', (route) => route.fulfill({ status: 500, json }));
    await visitor.open('audit');
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
    await still.getByText('It broke on purpose.').waitFor();
    await visitor.checkAccessibility();
    await still.getByRole('button', { name: 'Close' }).last().click();
    await still.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Max Member' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await still.getByText('It broke on purpose.').waitFor();
    await inPage(page, 'the focus in the dialog', "document.activeElement.closest('[role=dialog]') !== null");
    await page.unroute('**/auth/sign-out');
    await still.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Ada Admin' }).first().waitFor();
    await visitor.leave();
  });

  it('show an ID as it is copied', async () => {
    const ada = await demo.signIn('ada');
    const agent = await ada.createAgent('identified', [], {});
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open(`agents/${agent.id}`);
    const id = page.getByRole('button', { name: `Copy ID ${agent.id}` });
    expect(await id.textContent()).toBe(agent.id);
    await visitor.open(`audit?resource=${agent.id.toUpperCase()}`);
    await page.getByRole('row').filter({ hasText: 'identified' }).first().waitFor();
    await visitor.leave();
  });
});
