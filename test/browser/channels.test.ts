/** Channels in the web UI: set up, tested, posted to, and followed from an announcement to the approval. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ask, say, waitFor, waitForever, write } from '../support/asking-steps.ts';
import { describeInBrowser, openBrowser, phone, visit } from '../support/browser.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

describeInBrowser('channels in the web UI', () => {
  let webhook: Webhook;
  let platform: Platform;
  let browser: Browser;
  let ada: FrontDoor;

  beforeAll(async () => {
    webhook = await startWebhook();
    const env = { PRIVATE_WEBHOOK_HOSTS: `http://${webhook.host}` };
    [platform, browser] = await Promise.all([
      startPlatform({ usesRunServers: true, withoutDemoSession: true, env }),
      openBrowser(),
    ]);
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
    await webhook?.close();
  });

  const open = async (address: string, as: 'ada' | 'max' = 'ada', context = {}) => {
    const visitor = await visit(browser, { url: platform.url, as, context });
    await visitor.open(address);
    return visitor;
  };
  const received = (what: string, text: string) =>
    untilFound(what, async () => webhook.received.find(({ message }) => message.text.includes(text)));

  it('are set up in a form and tested; an announcement leads to the approval, and a message is in the transcript', async () => {
    const steps = [
      write('permission_required'),
      ask('once', 'Approve here: https://evil.example'),
      waitFor('Permission request'),
      write(),
      { call: 'platform.post_message', arguments: { text: 'Written.\n@channel', channel: 'reports' } },
      say('posted'),
      waitForever,
    ];
    const poster = await ada.createAgent('poster', steps, { files: {} });
    const visitor = await open('channels');
    const { page } = visitor;
    await page.getByText('No channels yet').waitFor();
    await visitor.checkAccessibility();
    await page.getByRole('link', { name: 'New channel' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Not a name');
    await page.getByRole('button', { name: 'Create channel' }).click();
    await page.getByText('must be 1 to 40 lowercase letters').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('reports');
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    await dialog.getByLabel('Value').fill(webhook.url);
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Agents that can post' }).click();
    await page.getByRole('option', { name: 'poster' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Announce permission requests' }).check();
    await visitor.checkAccessibility();
    await visitor.picture('channel-form');
    await page.getByRole('button', { name: 'Create channel' }).click();
    await page.getByRole('heading', { name: 'reports', level: 1 }).waitFor();
    await page.getByText('Nothing has been posted yet.').waitFor();
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('The test message was delivered').waitFor();
    await received('the test message', 'Test message: the channel "reports"');

    const session = await ada.startSession(poster.id);
    const { id } = await ada.openRequest(session.id);
    const announced = await received('the announcement', 'Permission request: agent "poster"');
    expect(announced.message.text).not.toMatch(/evil|Approve here/);
    const [link = ''] = /http:\/\/\S+$/.exec(announced.message.text) ?? [];
    expect(link).toBe(`${platform.url}/app/demo/approvals/${id}`);
    await page.goto(link);
    const approval = page.getByRole('dialog', { name: 'Permission request' });
    await approval.getByRole('button', { name: 'Approve this call only' }).click();
    await page.getByText('Allowed: this call only').waitFor();

    await received('the message', 'Agent "poster"');
    await visitor.open(`sessions/${session.id}`);
    const posted = page
      .getByRole('region', { name: 'Transcript' })
      .getByRole('listitem')
      .filter({ hasText: 'posted to the channel reports:' });
    await posted.getByText('@channel').waitFor();
    await visitor.picture('channel-transcript');
    await visitor.open('channels/reports');
    const deliveries = page.getByRole('table', { name: 'Deliveries' });
    await deliveries.getByRole('link', { name: 'Announcement' }).waitFor();
    await deliveries
      .getByRole('row')
      .filter({ hasText: 'Message of an agent' })
      .getByText('delivered', { exact: true })
      .waitFor();
    expect(await deliveries.getByRole('columnheader').allTextContents()).toEqual([
      'Posted',
      'Delivery',
      'What',
    ]);
    await visitor.picture('channel');
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('say why a delivery failed, and are changed and removed', async () => {
    webhook.answer(404);
    const visitor = await open('channels/reports');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('The test message failed').waitFor();
    await page.getByRole('status').getByText('check that its URL is still valid').waitFor();
    await visitor.checkAccessibility();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('checkbox', { name: 'Announce permission requests' }).uncheck();
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('not announced').waitFor();
    await visitor.open('secrets/WEBHOOK_URL');
    await page.getByRole('link', { name: 'reports' }).waitFor();
    await page.getByText('the URL of its webhook').waitFor();
    await visitor.open('channels/reports');
    await page.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove reports?' });
    await dialog.waitFor();
    await visitor.checkAccessibility();
    await dialog.getByRole('button', { name: 'Remove channel' }).click();
    await page.getByText('No channels yet').waitFor();
    await page.getByRole('table', { name: 'Deliveries' }).getByText('failed').waitFor();
    await visitor.leave();
  });

  it('fit on a phone, and are for admins', async () => {
    const narrow = await open('channels', 'ada', phone);
    await narrow.page.getByRole('heading', { name: 'Recent deliveries' }).waitFor();
    expect(
      await narrow.page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth'),
    ).toBeLessThanOrEqual(0);
    await narrow.leave();
    const member = await open('channels', 'max');
    await member.page.getByText('Only workspace admins can see “Channels”.').waitFor();
    await member.leave();
  });
});
