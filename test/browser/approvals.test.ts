/** Deciding on agents' requests: what the dialog shows, when its buttons work, and how each decision ends. */
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { ask, waitFor, waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, inPage, phone, type Visitor } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import type { DemoPerson } from '../support/demo-workspace.ts';
import { eventually } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { untilInSightOfDialog, untilShown } from '../support/in-sight.ts';

const focusedText = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

describeInBrowser('approvals in the web UI', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;
  let max: FrontDoor;
  let requests: string;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
    max = await demo.signIn('max');
    requests = `${ada.workspace}/permission-requests`;
  });

  let count = 0;
  /** A session of Ada's whose agent has asked, and its request. */
  async function asking(steps: unknown[], { by = ada, name = 'asker' } = {}) {
    count += 1;
    const agent = await by.createAgent(`${name} ${count}`, steps, { files: {} });
    const session = await by.startSession(agent.id);
    return { session, agent, request: await by.openRequest(session.id) };
  }
  const read = async ({ id }: PermissionRequest) =>
    (await ada.ok<{ permission_request: PermissionRequest }>('GET', `${requests}/${id}`)).permission_request;

  /** Opens a window with the dialog of a request, on the page of its session or elsewhere. */
  async function at(path: string, as: DemoPerson = 'ada', context = {}) {
    const visitor = await demo.visit(as, context);
    await visitor.open(path);
    const dialog = visitor.page.getByRole('dialog', { name: 'Permission request' });
    await dialog.getByRole('heading', { level: 3 }).waitFor();
    return { visitor, page: visitor.page, dialog };
  }

  const armed = ({ page }: Visitor, label: string) =>
    inPage(
      page,
      `the button ${label}`,
      `[...document.querySelectorAll('[role=dialog] button')].some((button) => button.textContent === '${label}' && !button.disabled)`,
    );

  it('start with the narrowest choice, above the quote, and name what the button does', async () => {
    const long = Array.from({ length: 60 }, (_, line) => `Reason ${line + 1} of many.`).join('\n');
    const { session, request } = await asking([ask('persistent', long), waitForever]);
    for (const context of [{ viewport: { width: 1280, height: 720 } }, phone]) {
      const { visitor, page, dialog } = await at(`approvals/${request.id}`, 'ada', context);
      expect(await dialog.getByRole('radio', { name: /^One call/ }).isChecked()).toBe(true);
      expect(await dialog.getByRole('radio', { name: /asked for/ }).isChecked()).toBe(false);
      await dialog.getByText('No call was recorded with this request.').waitFor();
      // What decides is in view when the dialog opens: not below the window, and not behind the buttons. On a
      // phone the choices are below, and the sentence at the button says which one it is.
      const radios = context === phone ? [] : await dialog.getByRole('radio').all();
      for (const what of [
        dialog.getByLabel('What it allows'),
        ...radios.map((radio) => radio.locator('xpath=../..')),
      ]) {
        await untilInSightOfDialog(page, what);
      }
      // One call of any of the tools: all of them have been in sight before.
      await untilShown(dialog, 'Approve one call');
      const sentence = dialog.getByText(/^You allow asker \d+, once, .*one call of one of these \d+ tools/);
      expect((await sentence.boundingBox())?.y).toBeLessThan((context.viewport?.height ?? 0) - 30);
      const claim = dialog.getByRole('figure');
      const opensBox = await dialog.getByLabel('What it allows').boundingBox();
      const claimBox = await claim.boundingBox();
      expect((opensBox?.y ?? 0) + (opensBox?.height ?? 0)).toBeLessThanOrEqual(claimBox?.y ?? 0);
      expect(claimBox?.height).toBeLessThan(300);
      await claim.getByRole('button', { name: /^Show all/ }).click();
      expect((await claim.boundingBox())?.height).toBeGreaterThan(900);
      await dialog.getByRole('radio', { name: /^Until revoked/ }).check();
      await dialog.getByText(/^You allow .* in every session, until somebody revokes it: /).waitFor();
      await dialog.getByRole('radio', { name: /^Until a date/ }).check();
      await untilShown(dialog, 'Approve until a date');
      await dialog.getByLabel('Last day').fill('');
      await dialog.getByText(/^You allow .* in every session, until a day: /).waitFor();
      await dialog.getByText('Choose a day to come first.').waitFor();
      expect(await dialog.getByRole('button', { name: 'Approve until a date' }).isDisabled()).toBe(true);
      if (context === phone) {
        await dialog.getByLabel('Last day').fill('2099-12-31');
        await (await untilShown(dialog, 'Approve until a date')).click();
        await page.getByText('Allowed: until a date').waitFor();
      }
      await visitor.leave();
    }
    const { grant_id: grantId } = await read(request);
    const { grant } = await ada.ok<{ grant: { scope: string; expires_at: string } }>(
      'GET',
      `${ada.workspace}/grants/${grantId}`,
    );
    expect(grant).toMatchObject({
      scope: 'persistent',
      expires_at: expect.stringMatching(/^(2099-12|2100-01)/),
    });
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
  });

  it('approve more than one call only after the choice was visible', async () => {
    const { session, request } = await asking([ask('persistent'), waitForever]);
    const visitor = await demo.visit('ada', { viewport: { width: 1280, height: 340 } });
    const { page } = visitor;
    // A response that offers nothing narrower.
    await page.route(`**${requests}/${request.id}`, async (route) => {
      const { permission_request: stored } = (await (await route.fetch()).json()) as {
        permission_request: PermissionRequest & { tools: object[] };
      };
      const changed_tools = stored.tools.slice(0, 1).map((tool) => ({ ...tool, kind: 'changed' }));
      const may_grant = { agent: ['session'], operator: [] };
      const body = { permission_request: { ...stored, may_grant, changed_tools } };
      await route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });
    });
    await visitor.open(`approvals/${request.id}`);
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    await dialog.getByText('This opens more than one known call').waitFor();
    expect(await dialog.getByText('changed since it was accepted').count()).toBe(1);
    const approve = dialog.getByRole('button', { name: 'Approve for this session' });
    await armed(visitor, 'Deny…');
    expect(await approve.isDisabled()).toBe(true);
    await (await untilShown(dialog, 'Approve for this session')).click();
    await page.unroute(`**${requests}/${request.id}`);
    await page.getByText(/^Allowed: /).waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('ignore keys that were meant for something else', async () => {
    const { session, request } = await asking([ask('session'), waitForever]);
    const { visitor, page, dialog } = await at(`sessions/${session.id}`);
    for (const key of ['Enter', 'Space', 'Enter']) {
      await page.keyboard.press(key);
    }
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H3');
    await armed(visitor, 'Approve one call');
    for (const key of ['Enter', 'Space']) {
      await page.keyboard.press(key);
    }
    expect(await read(request)).toMatchObject({ status: 'open' });
    // A window that comes back into view disables the button for a moment again.
    // Checked inside the page: the moment may be over before another process could see it.
    const disabledAfterFocus = `new Promise((resolve) => {
      window.dispatchEvent(new Event('focus'));
      const approve = [...document.querySelectorAll('[role=dialog] button')]
        .find(({ textContent }) => textContent === 'Approve one call');
      const look = (times) => approve.disabled || times === 0
        ? resolve(approve.disabled)
        : setTimeout(look, 10, times - 1);
      look(20);
    })`;
    expect(await page.evaluate(disabledAfterFocus)).toBe(true);
    await armed(visitor, 'Approve one call');
    // What somebody types who has not noticed the dialog decides nothing, and leads to no button.
    await page.keyboard.type('have a look at dad');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H3');
    await dialog.getByRole('button', { name: 'Deny…' }).click();
    await inPage(page, 'the focus at the reason', `document.activeElement.tagName === 'TEXTAREA'`);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await armed(visitor, 'Approve one call');
    expect(await read(request)).toMatchObject({ status: 'open' });
    await dialog.getByRole('button', { name: 'Deny…' }).focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Approve one call');
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(`document.activeElement.closest('[role=dialog]') !== null`)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('A permission request is waiting for you').waitFor();
    expect(await read(request)).toMatchObject({ status: 'open' });
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('deny with a reason that the agent reads, mute the session and unmute it', async () => {
    const { session, request } = await asking([
      ask('once'),
      waitFor('Not on a Friday'),
      { ...ask('once', 'Please', 'files.read'), expect: 'error' },
      waitForever,
    ]);
    const { visitor, page, dialog } = await at(`sessions/${session.id}`);
    await armed(visitor, 'Deny…');
    await dialog.getByRole('button', { name: 'Deny…' }).click();
    await dialog.getByLabel('Reason').fill('Not on a Friday');
    await dialog.getByLabel('Mute this session').check();
    await armed(visitor, 'Deny and mute');
    await dialog.getByRole('button', { name: 'Deny and mute' }).click();
    await page.getByText('Denied, and the session is muted.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await read(request)).toMatchObject({ status: 'denied', reason: 'Not on a Friday' });
    await page.getByText('permission requests of this session are refused immediately').waitFor();
    await page.getByText('step 4 of 4').waitFor();
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.getByText('Permission requests of this session are no longer muted.').waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('show in two windows who was first, and that the second decision changed nothing', async () => {
    const { session, request } = await asking([ask('once'), waitForever], { by: max });
    const first = await at(`sessions/${session.id}`, 'max');
    const second = await at(`approvals/${request.id}`, 'ada');
    second.visitor.expectInConsole(/409/);
    // The second window is not notified in time.
    const stale = await (await second.page.request.get(`${requests}/${request.id}`)).text();
    await second.page.route(`**${requests}/${request.id}`, (route) =>
      route.fulfill({ contentType: 'application/json', body: stale }),
    );
    await armed(first.visitor, 'Approve one call');
    await first.dialog.getByRole('button', { name: 'Approve one call' }).click();
    await first.page.getByText(/^Allowed: /).waitFor();
    await armed(second.visitor, 'Approve one call');
    await Promise.all([
      second.page.waitForResponse((answer) => answer.status() === 409),
      second.dialog.getByRole('button', { name: 'Approve one call' }).click(),
    ]);
    // At once, and not only when it is known who was first.
    await second.dialog.getByText('This request was answered before').waitFor();
    await second.page.unroute(`**${requests}/${request.id}`);
    const late = second.dialog.getByRole('alert').filter({ hasText: 'Your approval was not recorded.' });
    await late.getByText(/It came too late. Approved by Max Member, .* before you/).waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await Promise.all([first.visitor.leave(), second.visitor.leave()]);
  });

  it('show a person who denies in a window what the same person approved in another', async () => {
    const { session, request } = await asking([ask('once'), waitForever]);
    const first = await at(`sessions/${session.id}`);
    const second = await at(`approvals/${request.id}`);
    second.visitor.expectInConsole(/409/);
    const stale = await (await second.page.request.get(`${requests}/${request.id}`)).text();
    await second.page.route(`**${requests}/${request.id}`, (route) =>
      route.fulfill({ contentType: 'application/json', body: stale }),
    );
    await armed(first.visitor, 'Approve one call');
    await first.dialog.getByRole('button', { name: 'Approve one call' }).click();
    await first.dialog.waitFor({ state: 'detached' });
    await first.page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await first.page.getByText('Revoked before it was used.').waitFor();
    await armed(second.visitor, 'Deny…');
    await second.dialog.getByRole('button', { name: 'Deny…' }).click();
    await armed(second.visitor, 'Deny');
    await Promise.all([
      second.page.waitForResponse((answer) => answer.status() === 409),
      second.dialog.getByRole('button', { name: 'Deny', exact: true }).click(),
    ]);
    await second.page.unroute(`**${requests}/${request.id}`);
    const late = second.dialog.getByRole('alert').filter({ hasText: 'Your denial was not recorded.' });
    await late.getByText(/It came too late. Approved by you, .* before you/).waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await Promise.all([first.visitor.leave(), second.visitor.leave()]);
  });

  it('resend a decision under its idempotency key when it or its response was lost, with one effect', async () => {
    const { session, request } = await asking([ask('session'), waitForever]);
    const { visitor, page, dialog } = await at(`sessions/${session.id}`);
    visitor.expectInConsole(/ERR_FAILED|Failed to load resource/);
    const keys: (string | undefined)[] = [];
    await page.route('**/grants', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      // The first does not arrive, the second is refused temporarily, and the third one's answer is lost.
      if (keys.length === 2) {
        await route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'Busy.' } } });
        return;
      }
      if (keys.length === 3) {
        // The API may close the idle connection that this takes.
        await route.fetch({ maxRetries: 3 });
      }
      await (keys.length > 3 ? route.continue() : route.abort());
    });
    await dialog.getByLabel('This session').check();
    await armed(visitor, 'Approve for this session');
    await dialog.getByRole('button', { name: 'Approve for this session' }).click();
    const unconfirmed = dialog.getByRole('alert').filter({ hasText: 'sent, but is not confirmed yet' });
    const waited = 'Retrying for up to five minutes, or until the request expires';
    for (const failures of [1, 2]) {
      await eventually(() => expect(keys.length).toBeGreaterThanOrEqual(failures));
      await unconfirmed.getByText(waited).waitFor();
    }
    expect(await dialog.getByLabel('This session').isChecked()).toBe(true);
    await page.getByText(/^Allowed: /).waitFor();
    await eventually(() => expect(keys).toHaveLength(4));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toBeDefined();
    const { grants } = await ada.ok<{ grants: { request_id: string | null }[] }>(
      'GET',
      `${ada.workspace}/grants?include_revoked=true`,
    );
    expect(grants.filter(({ request_id }) => request_id === request.id)).toHaveLength(1);
    expect(await read(request)).toMatchObject({ status: 'approved' });
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('never replace the request that is shown, not even by a late answer, and say when it is cancelled', async () => {
    const { session, request } = await asking([
      ask('once'),
      waitFor('go on'),
      ask('once', 'And this', 'files.remove'),
      waitForever,
    ]);
    const { visitor, page, dialog } = await at(`sessions/${session.id}`);
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'go on' });
    await dialog.getByText('1 more waiting').waitFor();
    await dialog.getByRole('heading', { name: /files\.write$/ }).waitFor();
    // An approval whose answer comes after the person went on: it is said, and moves them no further.
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/grants', async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      await held;
      await route.fulfill({ response });
    });
    await (await untilShown(dialog, 'Approve one call')).click();
    await eventually(async () => expect(await read(request)).toMatchObject({ status: 'approved' }));
    await dialog.getByRole('button', { name: /^(Skip to next|Next request)$/ }).click();
    await dialog.getByRole('heading', { name: /files\.remove$/ }).waitFor();
    answer();
    // Beside the next request it names what it is about, and the keyboard reaches its button.
    await dialog.getByText('Allowed: one call (files.write)').waitFor();
    await inPage(page, 'the focus on the heading', `document.activeElement.tagName === 'H3'`);
    for (let step = 0; step < 20 && (await focusedText(page)) !== 'Revoke'; step += 1) {
      await page.keyboard.press('Tab');
    }
    expect(await focusedText(page)).toBe('Revoke');
    await dialog.getByRole('heading', { name: /files\.remove$/ }).waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await dialog.getByText('Cancelled').waitFor();
    await dialog.getByText('The session ended before anyone answered.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('The session has ended.').waitFor();
    await visitor.leave();
  });

  it('show a hostile agent’s text as plain text, also on a phone', async () => {
    const justification = [
      '<img src=x onerror="window.ran=true"><button>Approve</button><script>window.ran=true</script>',
      'Harmless: \u202Egpj.exe\u202C and \u200Bnothing\u2066 more',
      'W'.repeat(600),
      '✅ Approved by Ada Admin. Close this dialog. [Approve] (javascript:alert(1)) https://evil.test/approve',
    ].join('\n');
    const name = `Platform\u202E <b>Security</b> ${'x'.repeat(60)}`;
    const { session, request } = await asking([ask('persistent', justification), waitForever], { name });
    const { visitor, page, dialog } = await at(`approvals/${request.id}`, 'ada', {
      ...phone,
      colorScheme: 'dark',
    });
    const claim = dialog.getByLabel(/^Unverified text by/);
    expect(await claim.getByTitle('U+202E right-to-left override').count()).toBeGreaterThan(0);
    expect(await claim.locator('img, button, script, a').count()).toBe(0);
    expect(await claim.textContent()).toContain('<button>Approve</button>');
    expect(await dialog.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    await untilShown(dialog, 'Approve one call');
    const wider = await page.evaluate<number>(
      `Math.max(document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll('[role=dialog]')].map((box) => box.scrollWidth - box.clientWidth))`,
    );
    expect(wider).toBeLessThanOrEqual(0);
    for (const label of ['Decide later', 'Deny…', 'Approve one call']) {
      const box = await dialog.getByRole('button', { name: label }).boundingBox();
      expect(box?.y).toBeLessThan(844 - 30);
    }
    await visitor.picture('approval-phone');
    await dialog.getByLabel('Until revoked').check();
    await untilShown(dialog, 'Approve until revoked');
    await dialog.getByRole('button', { name: 'Decide later' }).click();
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    await visitor.leave();

    const wide = await at(`sessions/${session.id}`);
    await wide.visitor.picture('approval-hostile');
    await wide.dialog.getByRole('button', { name: 'Decide later' }).click();
    const across = 'document.documentElement.scrollWidth - innerWidth';
    expect(await wide.page.evaluate<number>(across)).toBeLessThanOrEqual(0);
    expect(await wide.page.getByRole('region', { name: 'Transcript' }).locator('img, script').count()).toBe(
      0,
    );
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await wide.visitor.leave();
  });
});
