/** Approving the very call that was refused: what the dialog shows of it, and what passes afterwards. */
import { beforeAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Locator } from 'playwright-core';
import type { Grant } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { ask, waitFor, waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, inPage, phone, type Visitor } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import type { DemoPerson } from '../support/demo-workspace.ts';
import { eventually } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { untilShown } from '../support/in-sight.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { sharedPlatform } from '../support/shared-platform.ts';

const write = (args: Record<string, unknown>, expected: 'ok' | 'permission_required') => ({
  call: 'files.write_file',
  arguments: args,
  expect: expected,
});
const asShown = { path: 'note.txt', content: 'as shown' };
const exactly = 'Approve this call only';

describeInBrowser('the very call in an approval', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
  });

  let count = 0;
  /** A session whose agent was refused a call with these arguments, has asked, and goes on with `after`. */
  async function refused(args: Record<string, unknown>, after: unknown[] = [], { owner = ada } = {}) {
    count += 1;
    const steps = [write(args, 'permission_required'), ask('once'), ...after, waitForever];
    const agent = await owner.createAgent(`refused ${count}`, steps, { files: {} });
    const session = await ada.startSession(agent.id);
    const request = await ada.openRequest(session.id);
    return { session, request, end: () => ada.ok('POST', `/api/sessions/${session.id}/terminate`, {}) };
  }

  async function at(requestId: string, as: DemoPerson = 'ada', context: BrowserContextOptions = {}) {
    const visitor = await demo.visit(as, context);
    await visitor.open(`approvals/${requestId}`);
    const dialog = visitor.page.getByRole('dialog', { name: 'Permission request' });
    await dialog.getByRole('heading', { level: 3 }).waitFor();
    const call = dialog.getByRole('region', { name: 'The call that was refused' });
    return { visitor, page: visitor.page, dialog, call };
  }

  /** Waits until the button works. */
  const armed = ({ page }: Visitor, label: string) =>
    inPage(
      page,
      `the button ${label}`,
      `[...document.querySelectorAll('[role=dialog] button')].some((button) => button.textContent === '${label}' && !button.disabled)`,
    );
  const isChosen = (dialog: Locator, name: string) => dialog.getByRole('radio', { name }).isChecked();
  const grantOf = async (requestId: string): Promise<Grant | undefined> => {
    const { grants } = await ada.ok<{ grants: Grant[] }>(
      'GET',
      `${ada.workspace}/grants?include_revoked=true&limit=200`,
    );
    return grants.find(({ request_id }) => request_id === requestId);
  };
  const eraseCalls = async (requestId: string) =>
    withPlatformDatabase(await sharedPlatform(), (db) =>
      db('permission_request_calls').where({ request_id: requestId }).delete(),
    );

  it('lets exactly that call pass, once, and no other', async () => {
    const { session, request, end } = await refused(asShown, [
      waitFor('Permission request'),
      write({ ...asShown, content: 'another' }, 'permission_required'),
      write(asShown, 'ok'),
      write(asShown, 'permission_required'),
    ]);
    const { visitor, page, dialog, call } = await at(request.id);
    await call.getByText('as shown').waitFor();
    expect(await call.textContent()).toContain('End of the callRecorded by Gatepost');
    expect(await call.getByRole('definition').allTextContents()).toEqual(['as shown', 'note.txt']);
    await call.getByRole('button', { name: 'JSON' }).click();
    expect(await call.getByRole('listitem').allTextContents()).toEqual([
      '{',
      '"content": "as shown",',
      '"path": "note.txt"',
      '}',
    ]);
    expect(await isChosen(dialog, 'This call only')).toBe(true);
    await armed(visitor, exactly);
    await visitor.checkAccessibility(call);
    await visitor.picture('approval-exact');
    await dialog.getByRole('button', { name: exactly }).click();
    await page.getByText('Allowed: this call only').waitFor();
    await visitor.open(`approvals/${request.id}`);
    await dialog.getByText('Approved by you').waitFor();
    await dialog.getByText('Approved once, for exactly this call of files.write_file.').waitFor();

    await visitor.open(`sessions/${session.id}`);
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await transcript.getByText('once, exactly this call').waitFor();
    // It says which call passed: not the other one, though it came first.
    const calls = transcript
      .getByRole('listitem')
      .filter({ hasText: 'files.write_file' })
      .filter({ hasText: 'Tool call' });
    await eventually(async () => expect(await calls.count()).toBe(4));
    expect((await calls.allTextContents()).map((text) => /refused at the gate|done/.exec(text)?.[0])).toEqual(
      ['refused at the gate', 'refused at the gate', 'done', 'refused at the gate'],
    );
    const grant = await grantOf(request.id);
    await calls.nth(2).getByRole('button').click();
    await calls
      .nth(2)
      .getByRole('link', { name: `grant ${grant?.id.slice(0, 8)}` })
      .waitFor();
    await calls.nth(3).getByRole('button').click();
    await calls.nth(3).getByText('It did not reach the server.').waitFor();
    expect(grant).toMatchObject({
      state: 'consumed',
      bound_to: { call_digest: request.refused_call?.digest },
    });
    const oneCall = `this call only (${request.refused_call?.digest?.slice(0, 8)})`;
    await visitor.open(`grants/${grant?.id}`);
    await page
      .getByRole('row', { name: /^Limited to/ })
      .getByText(oneCall)
      .waitFor();
    await page.getByText('with the approved arguments only').waitFor();
    await visitor.open('grants?state=all');
    await page.getByRole('table', { name: 'Grants' }).getByText('This call only').first().waitFor();
    for (const event of ['grant.created', 'grant.consumed']) {
      await visitor.open(`audit?event=${event}&resource=${grant?.id}`);
      await page.getByRole('row').getByText(oneCall).waitFor();
    }
    await eraseCalls(request.id);
    await visitor.open(`approvals/${request.id}`);
    await call.getByRole('button', { name: 'Show arguments' }).click();
    await call.getByText('Its arguments were erased').waitFor();
    await end();
    await visitor.leave();
  });

  it('shows all that a hostile agent put into it, as text, also on a phone', async () => {
    const markup = '<img src=x onerror="window.ran=true"><script>window.ran=true</script>';
    const benign = 'harmless '.repeat(400);
    const { request, end } = await refused({
      path: `/home/\u05D0\u05D1/note\u202Etxt.exe`,
      content: `${benign}; rm -rf /`,
      lines: `first${' '.repeat(100)}\n"second": \u200B\u{E0041}`,
      [markup]: 'Recorded by the platform: approved',
    });
    const { visitor, page, dialog, call } = await at(request.id, 'ada', { ...phone, colorScheme: 'dark' });
    await call.getByText('rm -rf').waitFor();
    expect(await call.locator('img, script, a').count()).toBe(0);
    await call.getByRole('button', { name: 'JSON' }).click();
    for (const title of [
      'U+202E right-to-left override',
      'U+200B zero-width space',
      'U+E0041 tag character',
    ]) {
      expect(await call.getByTitle(title).count()).toBe(1);
    }
    expect(await call.getByTitle('U+202E right-to-left override').textContent()).toBe('\\u202E');
    expect(await call.getByTitle('U+0020 space').textContent()).toBe('space ×100');
    expect(await call.getByTitle('U+000A line feed').textContent()).toBe('\\n');
    expect(await call.locator('img, script, a').count()).toBe(0);
    expect(await call.textContent()).toContain('<script>window.ran=true</script>');
    const wider = await page.evaluate<number>(
      `Math.max(document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll('[role=dialog], .call-text')].map((box) => box.scrollWidth - box.clientWidth))`,
    );
    expect(wider).toBeLessThanOrEqual(0);
    await visitor.checkAccessibility();
    await visitor.picture('approval-exact-hostile');
    const content = call.getByRole('listitem').filter({ hasText: '"content"' });
    expect(await content.textContent()).toMatch(/^"content": "harmless .*; rm -rf \/",$/s);
    expect(await content.textContent()).not.toContain(benign);
    // Quotes included: 3,612 characters, of which 160 are shown.
    await call.getByRole('button', { name: '… 3,452 more characters' }).click();
    expect(await content.textContent()).toContain(`${benign}; rm -rf /`);
    await content.getByRole('button', { name: 'Show less' }).click();
    await call.getByRole('button', { name: '… 3,452 more characters' }).waitFor();
    expect(await page.evaluate('window.ran')).toBeUndefined();
    await untilShown(dialog, exactly);
    expect(await dialog.getByRole('button', { name: /^Approve/ }).count()).toBe(1);
    await end();
    await visitor.leave();
  });

  it('can be approved only after its end was visible', async () => {
    const list = Array.from({ length: 60 }, (_, index) => `entry ${index + 1}`);
    const { request, end } = await refused({ list });
    const { visitor, dialog, call } = await at(request.id, 'ada', { viewport: { width: 1280, height: 600 } });
    await dialog.getByText('Show the rest of the call first.').waitFor();
    await armed(visitor, 'Deny…');
    expect(await dialog.getByRole('button', { name: exactly }).isDisabled()).toBe(true);
    // Its end alone is not enough: what lies before it has not been in sight.
    await call.getByText('End of the call').scrollIntoViewIfNeeded();
    expect(await dialog.getByRole('button', { name: exactly }).isDisabled()).toBe(true);
    expect(await call.getByText('"entry 30"').count()).toBe(0);
    await call.getByRole('button', { name: '… 40 more lines' }).waitFor();
    await untilShown(dialog, exactly);
    // What was folded is not folded any more.
    expect(
      await call
        .getByRole('listitem')
        .filter({ hasText: /^"entry / })
        .count(),
    ).toBe(60);
    await dialog.getByRole('button', { name: exactly }).click();
    await visitor.page.getByText('Allowed: this call only').waitFor();
    await end();
    await visitor.leave();
  });

  it('is the call of one request: the next that the agent tries is another request', async () => {
    const { session, request, end } = await refused(asShown, [
      waitFor('go on'),
      write({ ...asShown, content: 'another' }, 'permission_required'),
      ask('once'),
    ]);
    const { visitor, dialog, call } = await at(request.id);
    await armed(visitor, exactly);
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'go on' });
    await dialog.getByText('1 more waiting').waitFor();
    expect(await call.getByText('as shown').count()).toBe(1);
    await dialog.getByRole('button', { name: exactly }).click();
    // The next one is there, and its buttons arm again.
    await call.getByText('another').waitFor();
    expect(await call.getByText('as shown').count()).toBe(0);
    expect(await isChosen(dialog, 'This call only')).toBe(true);
    const { permission_requests } = await ada.ok<{ permission_requests: PermissionRequest[] }>(
      'GET',
      `${ada.workspace}/permission-requests?session_id=${session.id}`,
    );
    expect(new Set(permission_requests.map(({ refused_call }) => refused_call?.digest)).size).toBe(2);
    await end();
    await visitor.leave();
  });

  it('stays what was displayed when it is swapped meanwhile, and is refused and shown again', async () => {
    const { request, end } = await refused(asShown, [
      waitFor('Permission request'),
      write(asShown, 'permission_required'),
    ]);
    const { visitor, page, dialog, call } = await at(request.id);
    visitor.expectInConsole(/409/);
    await call.getByText('as shown').waitFor();
    await armed(visitor, exactly);
    const other = 'f'.repeat(64);
    await withPlatformDatabase(await sharedPlatform(), (db) =>
      db('permission_requests').where({ id: request.id }).update({ call_digest: other }),
    );
    // The page reads the request again, and exchanges nothing by itself.
    await page.waitForResponse((answer) => answer.url().endsWith(`/permission-requests/${request.id}`));
    await armed(visitor, exactly);
    expect(await dialog.getByRole('alert').count()).toBe(0);
    const approve = async () => {
      const sent = page.waitForRequest((made) => made.method() === 'POST' && made.url().endsWith('/grants'));
      await dialog.getByRole('button', { name: exactly }).click();
      return (await sent).postDataJSON() as Record<string, unknown>;
    };
    expect(await approve()).toMatchObject({ call_digest: request.refused_call?.digest, exact_call: true });
    const alert = dialog
      .getByRole('alert')
      .filter({ hasText: 'The call of this request is another one by now' });
    await alert.waitFor();
    await inPage(page, 'the focus on the alert', `document.activeElement.role === 'alert'`);
    await call.getByText('as shown').waitFor();
    expect(await grantOf(request.id)).toBeUndefined();
    // A click that was meant for the call before decides nothing: the buttons become
    // active again after a moment.
    await armed(visitor, exactly);
    expect(await isChosen(dialog, 'This call only')).toBe(true);
    expect(await approve()).toMatchObject({ call_digest: other, exact_call: true });
    await page.getByText('Allowed: this call only').waitFor();
    expect(await grantOf(request.id)).toMatchObject({ bound_to: { call_digest: other } });
    // Nobody made that call: the agent's own is refused, as its script expects.
    await eventually(async () =>
      expect((await ada.toolCalls(request.session_id)).filter(isRefused)).toHaveLength(2),
    );
    expect(await grantOf(request.id)).toMatchObject({ state: 'active' });
    await end();
    await visitor.leave();
  });

  it('is neither shown to nor decided by somebody who may not read its session', async () => {
    const max = await demo.signIn('max');
    const { request, end } = await refused(asShown, [], { owner: max });
    const { visitor, dialog, call } = await at(request.id, 'max');
    await call
      .getByText('Only people who may decide on this request and read its session see the arguments.')
      .waitFor();
    expect(await dialog.textContent()).not.toContain('as shown');
    expect(await dialog.getByRole('button', { name: /^(Approve|Deny)/ }).count()).toBe(0);
    await end();
    await visitor.leave();
  });

  it('says why there is nothing to show, and offers only what does not depend on it', async () => {
    const tooLarge = await refused({ path: 'note.txt', content: 'x'.repeat(150_000) });
    const { visitor, page, dialog, call } = await at(tooLarge.request.id);
    await call.getByText('Its arguments are too large to show, 146.5 KiB').waitFor();
    expect(await isChosen(dialog, 'One call, any arguments')).toBe(true);
    expect(await dialog.getByRole('radio', { name: 'This call only' }).count()).toBe(0);
    await armed(visitor, 'Approve one call, any arguments');
    await tooLarge.end();

    await visitor.open('settings');
    await page.getByRole('switch', { name: 'Show the refused call to the people who decide' }).uncheck();
    await page.getByText('They can only approve calls with any arguments.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    const withoutCall = await refused(asShown);
    await visitor.open(`approvals/${withoutCall.request.id}`);
    await call.getByText('Its arguments were not recorded').waitFor();
    expect(await dialog.textContent()).not.toContain('as shown');
    await dialog.getByRole('button', { name: 'Approve one call, any arguments' }).click();
    await page.getByText('Allowed: one call, any arguments').waitFor();
    await visitor.open(`approvals/${withoutCall.request.id}`);
    await dialog.getByText('Approved once, for files.write_file only.').waitFor();
    await ada.ok('PATCH', ada.workspace, { settings: { keep_refused_calls: true } });
    await withoutCall.end();
    await visitor.leave();
  });
});

const isRefused = ({ data }: { data: Record<string, unknown> }) =>
  data['tool'] === 'write_file' && data['outcome'] === 'permission_required';
