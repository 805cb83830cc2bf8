/** The main job through the UI alone, and what a session's page shows of one. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ask, say, waitFor, waitForever, write } from '../support/asking-steps.ts';
import { closeLeftWindows, describeInBrowser, inPage, openBrowser, visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

const brokeOnPurpose = {
  error: { code: 'internal_error', message: 'It broke on purpose.', request_id: 'r' },
};

describeInBrowser('sessions in the web UI', () => {
  let platform: Platform;
  let browser: Browser;
  let ada: FrontDoor;

  beforeAll(async () => {
    [platform, browser] = await Promise.all([startPlatform({ usesRunServers: true }), openBrowser()]);
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  it('lead from the sign-in to an approved write, without a terminal', async () => {
    const visitor = await visit(browser, { url: platform.url });
    visitor.expectInConsole(/401 .*\/api\/me/);
    const { page } = visitor;
    await page.goto('/');
    await page.getByRole('button', { name: 'Ada Admin' }).click();
    await page.getByRole('region', { name: 'Needs you' }).getByText('scribe wants to call').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('1 permission request is waiting for you').waitFor();
    await page.getByRole('link', { name: 'scribe' }).waitFor();
    await visitor.picture('sessions');

    await page.getByRole('link', { name: 'Start session' }).click();
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'scribe' }).click();
    await page.getByLabel('Prompt').fill('Write the report.');
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    await dialog.getByRole('heading', { name: 'scribe wants to call files.write_file' }).waitFor();
    expect(await dialog.getByLabel('Requested by').textContent()).toContain('started by you');
    expect(await dialog.getByLabel('What it allows').textContent()).toMatch(
      /write_file of files[\s\S]*edit_file of files/,
    );
    const call = dialog.getByRole('region', { name: 'The call that was refused' });
    await call.getByText('report.md').waitFor();
    expect(await call.textContent()).toMatch(/files\.write_file[\s\S]*Recorded by Gatepost/);
    expect(await dialog.getByLabel('Unverified text by scribe').textContent()).toBe(
      'To write report.md into the workspace.',
    );
    expect(await dialog.getByRole('radio', { name: 'This call only' }).isChecked()).toBe(true);
    await inPage(
      page,
      'buttons that work',
      `[...document.querySelectorAll('button')].some((button) => button.textContent === 'Approve this call only' && !button.disabled)`,
    );
    await visitor.checkAccessibility();
    await visitor.picture('approval');
    await dialog.getByRole('button', { name: 'Approve this call only' }).click();
    await page.getByText('Allowed: this call only').waitFor();

    const transcript = page.getByRole('region', { name: 'Transcript' });
    const passed = transcript.getByRole('listitem').filter({ hasText: /files\.write_file.*done/ });
    await passed.getByRole('button').click();
    await passed.getByText('allowed by').waitFor();
    await transcript.getByText('The session has ended.').waitFor();
    const { grant_id } = await theRequestOf(page.url());
    expect(await passed.getByRole('link').getAttribute('href')).toBe(`/app/demo/grants/${grant_id}`);
    await page.getByText('Launched in').waitFor();
    await visitor.picture('session');
    await visitor.leave();
  });

  async function theRequestOf(url: string): Promise<{ grant_id: string }> {
    const id = new URL(url).pathname.split('/').at(-1);
    const path = `/api/workspaces/demo/permission-requests?session_id=${id}`;
    const { permission_requests } = await ada.ok<{ permission_requests: { grant_id: string }[] }>(
      'GET',
      path,
    );
    expect(permission_requests).toHaveLength(1);
    return permission_requests[0] ?? { grant_id: '' };
  }

  it('are found by the beginnings of words, and one filter is kept at hand', async () => {
    const agent = await ada.createAgent('finder', [say('Done')], {});
    const start = (prompt: string) =>
      ada.ok('POST', `${ada.workspace}/sessions`, { agent_id: agent.id, prompt });
    await start('Draft the quarterly letter');
    await start('Count the stars');
    const other = await ada.createAgent('counter of stars', [say('Done')], {});
    await ada.ok('POST', `${ada.workspace}/sessions`, { agent_id: other.id, prompt: 'Count the moons' });
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    await visitor.open('sessions');
    const kept = () =>
      page.evaluate<string[]>(
        `Object.keys(localStorage).filter((key) => key.includes('filter of sessions')).map((key) => localStorage[key])`,
      );
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await page.getByRole('link', { name: 'Count the stars' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search titles, prompts and agents' }).fill('quart draf');
    await page.getByRole('link', { name: 'Count the stars' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Draft the quarterly letter' }).waitFor();
    expect(await rows.count()).toBe(2);
    // Words that were searched for are not kept.
    expect(await page.getByRole('button', { name: 'Pin filter' }).count()).toBe(0);
    await page.goto(`${page.url()}&agent=${agent.id}`);
    await page.getByRole('button', { name: 'Pin filter' }).click();
    const views = page.getByRole('navigation', { name: 'Views' });
    await visitor.picture('sessions-search');
    await views.getByRole('link', { name: 'All' }).click();
    await page.getByRole('link', { name: 'Count the stars' }).waitFor();
    await page.reload();
    await views.getByRole('link', { name: 'finder', exact: true }).click();
    await page.getByRole('link', { name: 'Count the moons' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Count the stars' }).waitFor();
    expect(await kept()).toEqual([`agent=${agent.id}`]);
    await views.getByRole('button', { name: 'Unpin this filter' }).click();
    await views.getByRole('button', { name: 'Pin filter' }).waitFor();
    expect(await kept()).toEqual([]);
    await visitor.leave();
  });

  it('continue after the API was killed, with no event lost or duplicated', async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => `Number ${index + 1} of 30`);
    const steps = numbers.flatMap((text) => [say(text), { sleep_seconds: 0.2 }]);
    const agent = await ada.createAgent('counter', [waitFor('count'), ...steps], {});
    const session = await ada.startSession(agent.id);
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/ERR_|Failed to load resource/);
    const { page } = visitor;
    await visitor.open(`sessions/${session.id}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'count' });
    await page.getByText('Number 3 of 30').waitFor();
    await closeLeftWindows(browser);
    await platform.kill('api', session.id);
    await page.getByText('Connection lost.').waitFor();
    await page.getByText('The session has ended.').waitFor();
    const transcript = page.getByRole('region', { name: 'Transcript' });
    const folded = transcript.getByRole('button', { name: /^(\d+ steps|Show \d+ more of \d+)$/ });
    await eventually(async () => {
      for (const button of await folded.all()) {
        if ((await button.getAttribute('aria-expanded')) !== 'true') {
          await button.click();
        }
      }
      expect(await page.getByText(/^Number \d+ of 30$/).allTextContents()).toEqual(numbers);
    });
    await visitor.leave();
  });

  it('show each person what their role allows: operator, admin and stranger', async () => {
    const agent = await ada.createAgent('patient', [waitForever], {});
    const max = await FrontDoor.signIn(platform.url, 'max@demo.test');
    const [ofAda, ofMax] = [await ada.startSession(agent.id), await max.startSession(agent.id)];

    const member = await visit(browser, { url: platform.url, as: 'max' });
    member.expectInConsole(/403/);
    await member.open(`sessions/${ofAda.id}`);
    await member.page.getByRole('heading', { name: 'You do not have access' }).waitFor();
    await member.open('sessions/new');
    await member.page.getByRole('combobox', { name: 'Agent' }).click();
    await member.page.getByRole('option', { name: 'patient' }).click();
    await member.page.getByText('This agent belongs to Ada Admin').waitFor();
    await member.leave();

    const admin = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = admin;
    await admin.open(`sessions/${ofMax.id}`);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByLabel('Message to the agent').count()).toBe(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop this session?' });
    await dialog.getByLabel('Reason').fill('Not yet');
    await admin.checkAccessibility();
    // An error disappears when the input that it was about changes.
    admin.expectInConsole(/500/);
    await page.route('**/terminate', (route) => route.fulfill({ status: 500, json: brokeOnPurpose }));
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText('It broke on purpose.').waitFor();
    await dialog.getByLabel('Reason').fill('Not now');
    await dialog.getByText('It broke on purpose.').waitFor({ state: 'detached' });
    await page.unroute('**/terminate');
    // What was typed survives a reload.
    await page.reload();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Not now');
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The session has ended.').waitFor();
    await page.getByText('Not now').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await admin.open(`sessions?status=terminated&agent=${agent.id}`);
    await page.getByRole('row').filter({ hasText: 'Stopped' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await admin.leave();
  });

  it('let the operator answer with an option, and preview artifacts without running them', async () => {
    const script = '<script>window.ran = true</script><svg onload="window.ran = true"/>';
    const artifact = (name: string, mime_type: string, text: string) => ({
      call: 'platform.emit_artifact',
      arguments: { name, mime_type, text },
    });
    const steps = [
      artifact('page.html', 'text/html', script),
      artifact('drawing.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
      artifact('liar.png', 'image/png', script),
      {
        call: 'platform.emit_artifact',
        arguments: { name: 'dot.png', mime_type: 'image/png', base64: dot },
      },
      {
        call: 'platform.request_input',
        arguments: { prompt: 'Which colour?', options: ['Approve', 'Green'] },
      },
      { wait_for_message: { contains: 'Green', timeout_seconds: 120 } },
      write('permission_required'),
      { call: 'platform.emit_error', arguments: { message: 'It went wrong', code: 'broken' } },
    ];
    const agent = await ada.createAgent('painter', steps, { files: {} });
    const session = await ada.startSession(agent.id);
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    await visitor.open(`sessions/${session.id}`);
    await page.getByRole('tab', { name: 'Files' }).click();
    const panel = page.getByRole('region', { name: 'Artifacts' });
    await panel.getByText('dot.png').waitFor();
    const preview = page.getByRole('dialog', { name: 'Artifact' });
    for (const name of ['page.html', 'drawing.svg']) {
      await panel
        .getByRole('listitem')
        .filter({ hasText: name })
        .getByRole('button', { name: 'Preview' })
        .click();
      expect(await preview.getByLabel('Text of the artifact').textContent()).toContain(script);
      await page.keyboard.press('Escape');
      await preview.waitFor({ state: 'detached' });
    }
    await panel
      .getByRole('listitem')
      .filter({ hasText: 'liar.png' })
      .getByRole('button', { name: 'Preview' })
      .click();
    await preview.getByText('This file is not an image').waitFor();
    await page.keyboard.press('Escape');
    await panel
      .getByRole('listitem')
      .filter({ hasText: 'dot.png' })
      .getByRole('button', { name: 'Preview' })
      .click();
    await preview.getByRole('img', { name: 'Picture dot.png' }).waitFor();
    await visitor.checkAccessibility();
    await page.keyboard.press('Escape');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('listitem').filter({ hasText: 'page.html' }).getByRole('link').click(),
    ]);
    expect(download.suggestedFilename()).toBe('page.html');
    expect(await page.evaluate('window.ran')).toBeUndefined();

    const form = page.getByRole('region', { name: 'Message to the agent' });
    await form.getByText('Which colour?').waitFor();
    await form.getByLabel('Your answer').fill('half a sentence');
    // No word of an agent's is the whole of a button: it would read like a decision.
    await form.getByRole('button', { name: 'Answer “Approve”', exact: true }).waitFor();
    expect(await form.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await form.getByRole('button', { name: 'Green' }).click();
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await transcript.getByText('It went wrong').waitFor();
    await transcript.getByText('refused at the gate').waitFor();
    await transcript.getByText('The session has ended.').waitFor();
    await visitor.leave();
  });

  it('keep what was typed when the message cannot be sent', async () => {
    const agent = await ada.createAgent('listener', [ask('once'), waitForever], { files: {} });
    const session = await ada.startSession(agent.id);
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    await visitor.open(`sessions/${session.id}`);
    await page.getByRole('button', { name: 'Decide later' }).click();
    await page.getByText('A permission request is waiting for you').waitFor();
    const field = page.getByRole('textbox', { name: 'Message to the agent' });
    await field.fill('Hello there');
    await page.route('**/messages', (route) => route.abort());
    await page.getByRole('button', { name: 'Send' }).click();
    const composer = page.getByRole('region', { name: 'Message to the agent' });
    await composer.getByRole('alert').getByText('The platform is unreachable.').waitFor();
    expect(await field.inputValue()).toBe('Hello there');
    await page.unroute('**/messages');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('region', { name: 'Transcript' }).getByText('Hello there').waitFor();
    await inPage(page, 'an empty field', `document.querySelector('textarea').value === ''`);
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await page.getByText('The session has ended.').waitFor();
    await field.waitFor({ state: 'detached' });
    await visitor.leave();
  });
});

/** A picture of one pixel. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
