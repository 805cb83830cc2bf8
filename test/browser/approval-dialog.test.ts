/** The approval dialog at its tallest, and what makes it appear. */
import { beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Grant } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { ask, waitFor, waitForever, write } from '../support/asking-steps.ts';
import { describeInBrowser, phone, visit } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { pressWhenShown, untilInSightOfDialog, untilShown } from '../support/in-sight.ts';

/** Values of the maximum length that the platform accepts. */
const longest = {
  scope: Array.from({ length: 20 }, () => 'w'.repeat(99)).join('.'),
  server: 's'.repeat(32),
  agent: 'a'.repeat(100),
  tool: (last: string) => `${'t'.repeat(127)}${last}`,
  justification: Array.from({ length: 90 }, (_, line) => `Reason ${line + 1} of very many.`)
    .join('\n')
    .slice(0, 2000),
};

describeInBrowser('the approval dialog', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
  });

  /** A request with the longest names, many tools, a refused call and an admin-only scope. */
  async function askedAtLength(): Promise<{ sessionId: string; request: PermissionRequest }> {
    await ada.ok('POST', `${ada.workspace}/mcp-servers`, {
      name: longest.server,
      shape: { type: 'command', command: 'mcp-server-filesystem', args: ['.'] },
      manifest: {
        tool_scopes: Object.fromEntries([...'abcdefgh'].map((last) => [longest.tool(last), longest.scope])),
      },
      approvers: 'admin',
      network: 'none',
    });
    const refused = {
      call: `${longest.server}.${longest.tool('a')}`,
      arguments: {},
      expect: 'permission_required',
    };
    const steps = [refused, ask('persistent', longest.justification, longest.scope), waitForever];
    const agent = await ada.createAgent(longest.agent, steps, { [longest.server]: {} });
    const session = await ada.startSession(agent.id);
    return { sessionId: session.id, request: await ada.openRequest(session.id) };
  }

  it('keeps everything relevant to the decision above its buttons, however long the content is', async () => {
    const { sessionId, request } = await askedAtLength();
    for (const context of [{ viewport: { width: 1280, height: 720 } }, phone]) {
      const visitor = await demo.visit('ada', context);
      const { page } = visitor;
      await visitor.open(`approvals/${request.id}`);
      const dialog = page.getByRole('dialog', { name: 'Permission request' });
      expect(await dialog.getByRole('radio', { name: 'This call only' }).isChecked()).toBe(true);
      await dialog.getByText('No arguments.').waitFor();
      await visitor.picture(`approval-tallest-${context.viewport?.width}`);
      await expectDecidingInSight(page, dialog, context !== phone);
      // Nothing that one decides by is scrolled in its place: all of it counts as seen with its edges.
      const scrolledInside = `[...document.querySelectorAll('.request *')].filter((place) =>
        /auto|scroll/.test(getComputedStyle(place).overflowY) && place.scrollHeight > place.clientHeight + 1)
        .map(({ className }) => className)`;
      expect(await page.evaluate(scrolledInside)).toEqual([]);
      const claim = await dialog.getByRole('figure').boundingBox();
      const opens = await dialog.getByLabel('What it allows').boundingBox();
      expect(opens?.y).toBeLessThan(claim?.y ?? 0);
      await dialog.getByRole('radio', { name: /^Until revoked/ }).check();
      await visitor.picture(`approval-tallest-persistent-${context.viewport?.width}`);
      await expectApproveOnlyWhenSeen(dialog);
      await visitor.checkAccessibility();
      await visitor.leave();
    }
    await ada.ok('POST', `/api/sessions/${sessionId}/terminate`, {});
  });

  it('approves several calls of one tool together, each for itself, once all were seen to their ends', async () => {
    const paths = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
    const content = Array.from({ length: 12 }, (_, line) => `line ${line + 1}`).join('\n');
    const steps = paths.flatMap((path) => [
      { call: 'files.write_file', arguments: { path, content }, expect: 'permission_required' },
      ask('once'),
    ]);
    const agent = await ada.createAgent('repeater', [...steps, waitForever], { files: {} });
    const session = await ada.startSession(agent.id);
    const of = `${ada.workspace}/permission-requests`;
    const asked = await untilFound('four requests', async () => {
      const listed = await ada.ok<{ permission_requests: PermissionRequest[] }>(
        'GET',
        `${of}?session_id=${session.id}`,
      );
      return listed.permission_requests.length === paths.length ? listed.permission_requests.reverse() : null;
    });
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    visitor.expectInConsole(/ERR_FAILED/);
    await visitor.open('approvals');
    await page
      .getByRole('button', { name: /^Review together: 4 requests of repeater for files.write_file/ })
      .waitFor();
    await visitor.picture('approvals-together-offer');
    await page.getByRole('button', { name: /^Review together: 4 requests of repeater/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Permission requests' });
    const calls = dialog.getByRole('list', { name: 'Calls' });
    await calls.getByText('d.txt').waitFor();
    await dialog.getByText('Show the rest of the calls first.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Approve these 4 calls' }).isDisabled()).toBe(true);
    await untilShown(dialog, 'Approve these 4 calls');
    await visitor.picture('approvals-together');
    // Another set is looked at again: what was in sight before counts no more.
    await dialog.getByRole('button', { name: 'Leave out 4 of 4' }).click();
    expect(await dialog.getByRole('button', { name: 'Approve these 3 calls' }).isDisabled()).toBe(true);
    await untilShown(dialog, 'Approve these 3 calls');
    await visitor.checkAccessibility();
    // One of them is decided by somebody else meanwhile: it leaves the set, which is looked at again.
    await ada.ok('POST', `${of}/${asked[1]?.id}/deny`, {});
    await dialog.getByRole('status').filter({ hasText: '1 request was left out' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Approve these 2 calls' }).isDisabled()).toBe(true);
    await visitor.picture('approvals-together-left-out');
    const approveTwo = await untilShown(dialog, 'Approve these 2 calls');
    // The answer to the second is lost.
    const sent: unknown[] = [];
    await page.route('**/grants', async (route) => {
      if (route.request().method() !== 'POST') {
        return await route.continue();
      }
      sent.push(route.request().postDataJSON());
      return await (sent.length === 2 ? route.abort() : route.continue());
    });
    await approveTwo.click();
    const outcome = dialog.getByRole('alert').filter({ hasText: 'Allowed: 1 of 2 calls' });
    await outcome.waitFor();
    expect(await outcome.getByRole('listitem').allTextContents()).toEqual([
      '1 of 2: allowed once',
      expect.stringMatching(/^2 of 2: not confirmed/),
    ]);
    expect(await page.evaluate(`document.activeElement.getAttribute('role')`)).toBe('alert');
    await dialog.getByRole('button', { name: 'Revoke' }).waitFor();
    await visitor.picture('approvals-together-outcome');
    await dialog.getByRole('button', { name: 'Send again what is not confirmed' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(sent).toEqual(
      [asked[0], asked[2], asked[2]].map((request) =>
        expect.objectContaining({
          request_id: request?.id,
          call_digest: request?.refused_call?.digest,
          exact_call: true,
          scope: 'once',
        }),
      ),
    );
    const { grants } = await ada.ok<{ grants: Grant[] }>('GET', `${ada.workspace}/grants?limit=200`);
    for (const [index, isAllowed] of [true, false, true, false].entries()) {
      const { id = '', refused_call: call } = asked[index] ?? {};
      const grant = grants.find(({ request_id }) => request_id === id);
      expect(grant?.bound_to?.call_digest).toBe(isAllowed ? call?.digest : undefined);
    }

    // The one that is left waits by itself, with what was decided before beside it.
    await page
      .getByRole('button', { name: /^Review together: \d requests of repeater/ })
      .waitFor({ state: 'detached' });
    // Once the page has been in sight for a moment.
    await eventually(async () => {
      await page.keyboard.press('j');
      expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toMatch(
        /^Review the request of repeater/,
      );
    });
    await page.keyboard.press('Enter');
    const one = page.getByRole('dialog', { name: 'Permission request', exact: true });
    const before = one.getByRole('region', { name: 'Asked before' });
    await before.getByText('asked for this 3 times in 30 days: 2 approved, 1 denied.').waitFor();
    await before.getByRole('button', { name: 'Show' }).click();
    expect(await before.getByRole('listitem').count()).toBe(3);
    await visitor.picture('approval-asked-before');
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('denies several requests for one tool together, with one reason', async () => {
    const steps = ['a.txt', 'b.txt'].flatMap((path) => [
      { call: 'files.write_file', arguments: { path, content: 'x' }, expect: 'permission_required' },
      ask('once'),
    ]);
    const agent = await ada.createAgent('persister', [...steps, waitForever], { files: {} });
    const session = await ada.startSession(agent.id);
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('approvals');
    await page.getByRole('button', { name: /^Review together: 2 requests of persister/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Permission requests' });
    await dialog.getByRole('button', { name: 'Deny…' }).click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Not here');
    await visitor.picture('approvals-together-deny');
    await dialog.getByRole('button', { name: 'Deny these 2 requests' }).click();
    await page.getByText('Denied: 2 requests').waitFor();
    await dialog.waitFor({ state: 'detached' });
    const { permission_requests: after } = await ada.ok<{ permission_requests: object[] }>(
      'GET',
      `${ada.workspace}/permission-requests?session_id=${session.id}`,
    );
    const denied = { status: 'denied', reason: 'Not here' };
    expect(after).toMatchObject([denied, denied]);
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('appears because the stream announces the request: the page polls nothing meanwhile', async () => {
    const agent = await ada.createAgent('prompt asker', [waitFor('ask now'), ask('once'), waitForever], {
      files: {},
    });
    const session = await ada.startSession(agent.id);
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    await page.addInitScript(withoutPolling);
    await visitor.open(`sessions/${session.id}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'ask now' });
    await page
      .getByRole('dialog', { name: 'Permission request' })
      .getByRole('heading', { level: 3 })
      .waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('asks for a passkey where the workspace does, and says what to do without one', async () => {
    await ada.ok('PATCH', ada.workspace, { settings: { require_passkey: true } });
    const agent = await ada.createAgent(
      'passkey asker',
      [write('permission_required'), ask('once'), waitForever],
      {
        files: {},
      },
    );
    const session = await ada.startSession(agent.id);
    const request = await ada.openRequest(session.id);
    const atAddress = await demo.visit('ada');
    await atAddress.open('/_/passkeys');
    await atAddress.page.getByText('Browsers allow no passkeys at an IP address').waitFor();
    await atAddress.leave();
    const { browser, slug, people } = demo;
    const url = demo.url.replace('127.0.0.1', 'localhost');
    const visitor = await visit(browser, { url, slug, people, as: 'ada', isAlone: true });
    const { page } = visitor;
    await addAuthenticator(page);
    await visitor.open(`approvals/${request.id}`);
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    const approve = dialog.getByRole('button', { name: 'Approve this call only with a passkey' });
    await dialog.getByText('You have none for this address.').waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await visitor.picture('approval-without-passkey');
    await dialog.getByRole('link', { name: 'Your passkeys' }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Laptop');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Rename Laptop' }).waitFor();
    await visitor.picture('passkeys');
    await visitor.checkAccessibility();
    await visitor.open(`approvals/${request.id}`);
    await pressWhenShown(dialog, 'Approve this call only with a passkey');
    await dialog.waitFor({ state: 'hidden' });
    const { grants } = await ada.ok<{ grants: object[] }>('GET', `${ada.workspace}/grants`);
    expect(grants).toContainEqual(expect.objectContaining({ request_id: request.id }));
    await ada.ok('PATCH', ada.workspace, { settings: { require_passkey: false } });
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });
});

/** A device that always makes sure of who it is. */
async function addAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Timers of a page that are slow enough to poll with never fire. */
const withoutPolling = `for (const name of ['setInterval', 'setTimeout']) {
  const start = window[name];
  window[name] = (run, ms, ...rest) => start(run, ms >= 5000 ? 2 ** 31 - 1 : ms, ...rest);
}`;

const wholeOption = (radio: Locator) => radio.locator('xpath=../..');

/**
 * Expects what decides to be in view when the dialog opens, without scrolling: the call, and what is chosen
 * where the choices stand beside it.
 */
async function expectDecidingInSight(page: Page, dialog: Locator, isWide: boolean): Promise<void> {
  for (const what of [
    dialog.getByRole('heading', { level: 3 }),
    dialog.getByLabel('The call that was refused'),
    ...(isWide ? [wholeOption(dialog.getByRole('radio').first())] : []),
  ]) {
    await untilInSightOfDialog(page, what);
  }
}

/** Anything wider than one call can be approved only after all that it opens has been in view. */
async function expectApproveOnlyWhenSeen(dialog: Locator): Promise<void> {
  const approve = dialog.getByRole('button', { name: 'Approve until revoked' });
  const show = dialog.getByRole('button', { name: 'Show the rest' });
  await show.waitFor();
  expect(await approve.isDisabled()).toBe(true);
  await untilShown(dialog, 'Approve until revoked');
}
