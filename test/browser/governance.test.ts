/** Grants, the audit trail, members and settings, over a session whose gated call was approved. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { AuditEvent } from '../../contract/audit-event.ts';
import { describeInBrowser, inPage, phone } from '../support/browser.ts';
import { type DemoInBrowser, demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';

describeInBrowser('grants, audit, members and settings', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;
  let granted: { grantId: string; requestId: string };

  beforeAll(async () => {
    ada = await demo.signIn('ada');
    granted = await approveTheWrite(demo, ada);
  });

  it('leads from a gated call to its grant, and from the grant to its request', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('audit?event=session.mcp.tool_called');
    const call = page.getByRole('row').filter({ hasText: 'files.write_file' }).filter({ hasText: 'ok' });
    await call.getByRole('button', { name: 'Details' }).click();
    await page.getByText(`"granted_via": "${granted.grantId}"`).waitFor();
    const why = page.getByRole('region', { name: 'Why this call passed' });
    await why.getByText('Ada Admin, admin, allowed it').waitFor();
    await why.getByText('“The report is wanted.”').waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('audit');
    await call.getByRole('link', { name: 'Grant', exact: true }).click();
    await page.getByRole('heading', { name: 'Grant: Call gated tools', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/app/${demo.slug}/grants/${granted.grantId}`);
    await page.getByText('Used up', { exact: true }).waitFor();
    await page.getByText('Reason: The report is wanted.').waitFor();
    await page.getByRole('table', { name: 'Uses' }).getByText('files.write_file').waitFor();
    expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0);
    await visitor.checkAccessibility();
    await visitor.picture('grant');
    await page.getByRole('link', { name: 'a permission request' }).click();
    await page.waitForURL(`**/app/${demo.slug}/approvals/${granted.requestId}`);
    await visitor.leave();
  });

  it('exports exactly what the filter shows', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('audit');
    await page.getByLabel('Events', { exact: true }).first().click();
    await page.getByRole('option', { name: /^Tool called/ }).click();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/audit?event=session.mcp.tool_called');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(new RegExp(`^audit-${demo.slug}-[-\\dT]+Z\\.ndjson$`));
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    const events: AuditEvent[] = lines.map((line) => JSON.parse(line));
    const { audit_events: expected } = await ada.ok<{ audit_events: AuditEvent[] }>(
      'GET',
      `${ada.workspace}/audit-events?event=session.mcp.tool_called&limit=200`,
    );
    expect(events).toEqual(expected);
    await page.getByText(`Exported ${expected.length} events.`).waitFor();
    const details = page.getByRole('button', { name: 'Details' });
    await details.nth(expected.length - 1).waitFor();
    expect(await details.count()).toBe(expected.length);
    await visitor.leave();
  });

  it('counts what was held, decided and called, and leads from each number to its rows', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('insights');
    const facts = page.getByRole('list', { name: 'In short' });
    await facts.getByRole('link', { name: /Approved 100% of 1 decided or expired/ }).waitFor();
    const held = page.getByRole('region', { name: 'Held calls by decision' });
    const day = held.getByRole('slider', { name: /read a day/ });
    await day.focus();
    expect(await day.getAttribute('aria-valuetext')).toMatch(/: 1 approved$/);
    await page.keyboard.press('ArrowLeft');
    expect(await day.getAttribute('aria-valuetext')).toMatch(/: none$/);
    await held.getByText('Show as table').click();
    const table = held.getByRole('table', { name: 'Held calls by day and decision' });
    expect(await table.getByRole('row').count()).toBe(31);
    await visitor.checkAccessibility();
    await held.getByText('Show as table').click();
    await visitor.picture('insights');
    await page.getByRole('link', { name: '7 days' }).click();
    await page.waitForURL('**/insights?days=7');
    await page.getByRole('region', { name: 'Calls by outcome' }).getByRole('link', { name: 'done' }).click();
    await page.waitForURL('**/audit?kind=calls&outcome=ok&from=*');
    await page.getByRole('row').filter({ hasText: 'files.write_file' }).first().waitFor();
    await visitor.open('insights');
    await facts.getByRole('link', { name: /Approved/ }).click();
    await page.waitForURL('**/approvals?status=approved&from=*');
    await page.getByRole('button', { name: /^Asked since/ }).click();
    await page.waitForURL('**/approvals?status=approved');
    await visitor.leave();
  });

  it('shows that an export failed, and focuses the message', async () => {
    const visitor = await demo.visit('ada');
    visitor.expectInConsole(/500/);
    const { page } = visitor;
    await visitor.open('audit');
    await page.getByRole('button', { name: 'Details' }).first().waitFor();
    const json = { error: { code: 'internal_error', message: 'It broke on purpose.', request_id: 'r' } };
    await page.route('**/audit-events?*', (route) => route.fulfill({ status: 500, json }));
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('alert').getByText('It broke on purpose.').waitFor();
    await inPage(page, 'the focus on the alert', "document.activeElement.role === 'alert'");
    await visitor.leave();
  });

  it('creates a grant, finds it by its holder, and revokes it', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('grants');
    await page.getByRole('heading', { name: 'No active grants' }).waitFor();
    await page.getByRole('link', { name: 'New grant' }).click();
    await page.getByRole('button', { name: 'Create grant' }).click();
    await page.getByText('Choose who gets it').waitFor();
    await choose(page, 'Grant to', 'scribe');
    await choose(page, 'Tool scope', 'files.write');
    await page.getByText('files.edit_file').waitFor();
    await page.getByRole('radio', { name: 'Until revoked' }).check();
    await page.getByLabel('Reason').fill('It writes every day. \u202Egnp.exe');
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Create grant' }).click();
    await page.getByText('In effect.', { exact: true }).waitFor();
    await page.getByText('U+202E').waitFor();

    await page.getByRole('link', { name: 'All grants' }).click();
    await choose(page, 'Granted to', 'scribe');
    await page.waitForURL('**/grants?subject=agent*');
    await visitor.picture('grants');
    await page.getByLabel('Grant type', { exact: true }).selectOption('Start an agent');
    await page.getByRole('heading', { name: 'No matching grants' }).waitFor();
    await page.getByLabel('Grant type', { exact: true }).selectOption('Call gated tools');
    await page.getByRole('link', { name: 'files.write' }).click();

    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this grant?' });
    await dialog.getByText('From now on it allows no calls.').waitFor();
    await untilFound('the focus on Cancel', async () =>
      (await page.evaluate('document.activeElement.textContent')) === 'Cancel' ? true : null,
    );
    await visitor.checkAccessibility();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No longer in effect.').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Revoked' }).getByText('by Ada Admin').waitFor();
    await visitor.open('grants?state=revoked');
    await page.getByRole('link', { name: 'files.write' }).waitFor();
    await visitor.leave();
  });

  it('revokes several grants after it showed what runs under them', async () => {
    const { agents } = await ada.ok<{ agents: { id: string }[] }>('GET', `${ada.workspace}/agents`);
    for (const _ of [1, 2]) {
      await ada.ok('POST', `${ada.workspace}/grants`, {
        agent_subject_id: agents[0]?.id,
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope: 'persistent',
      });
    }
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('grants?width=persistent');
    await page.getByRole('checkbox', { name: 'Select all shown that you can revoke' }).check();
    const bar = page.getByRole('toolbar', { name: '2 selected' });
    await visitor.checkAccessibility();
    await visitor.picture('grants-selected');
    await bar.getByRole('button', { name: 'Revoke 2 grants…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke 2 grants?' });
    await dialog.getByText('No session that you can see runs under it.').first().waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('grants-revoke');
    await dialog.getByRole('button', { name: 'Revoke 2 grants' }).click();
    await page.getByText('2 grants revoked').waitFor();
    await page.getByRole('heading', { name: 'No matching grants' }).waitFor();
    await visitor.open('audit?kind=decisions&q=files.write');
    await page.getByRole('row').filter({ hasText: 'revoked the grant of' }).first().waitFor();
    await visitor.picture('audit-decisions');
    await visitor.leave();
  });

  it('shows members their own grants, and says why others are not available', async () => {
    const { agents } = await ada.ok<{ agents: { id: string }[] }>('GET', `${ada.workspace}/agents`);
    await ada.ok('POST', `${ada.workspace}/grants`, {
      agent_subject_id: agents[0]?.id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'persistent',
    });
    const visitor = await demo.visit('max');
    const { page } = visitor;
    await visitor.open('grants');
    await page.getByRole('link', { name: 'files.write' }).first().click();
    expect(await page.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true);
    await visitor.open('grants/new');
    await choose(page, 'Grant to', 'Max Member (you)');
    expect(await page.getByRole('radio', { name: 'Read a secret' }).count()).toBe(0);
    for (const section of ['audit', 'settings']) {
      await visitor.open(section);
      await page.getByRole('heading', { name: 'You do not have access' }).waitFor();
    }
    await visitor.leave();
  });

  it('changes settings, and asks before what cannot be undone', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('settings');
    await page.getByLabel('Workspace name').fill('Renamed');
    await page.getByRole('switch', { name: 'Record arguments and results of tool calls' }).check();
    await page.getByText('Everything that tools read and write is recorded').waitFor();
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await settingsOf(ada)).name).toBe('Demo');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('button', { name: 'Start recording' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await settingsOf(ada)).toMatchObject({
      name: 'Renamed',
      settings: { log_tool_payloads: true, allow_runtime_permission_requests: true },
    });
    await page.getByRole('banner').getByRole('button', { name: 'Renamed' }).waitFor();
    await visitor.leave();
  });

  it('adds members, changes their role and removes them', async () => {
    const visitor = await demo.visit('ada');
    visitor.expectInConsole(/status of (409|422)/);
    const { page } = visitor;
    await visitor.open('members');
    const row = page.getByRole('row').filter({ hasText: demo.people.max.email });
    await row.getByRole('button', { name: 'Make an admin: Max Member' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make an admin' }).click();
    await row.getByText('Admin', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Remove: Max Member' }).click();
    await page.getByRole('dialog').getByText('the sessions that they started end').waitFor();
    await visitor.checkAccessibility();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    const outsider = await demo.visit('max');
    outsider.expectInConsole(/401/);
    await outsider.load('/');
    await outsider.page.getByText('You are not in a workspace').waitFor();
    await outsider.checkAccessibility();
    await outsider.page.getByRole('button', { name: /^Max Member/ }).click();
    await outsider.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await outsider.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await outsider.page.getByLabel('Other e-mail address').fill(demo.people.max.email);
    await outsider.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await outsider.page.getByText('You are not in a workspace').waitFor();

    await page.getByRole('button', { name: 'Remove: Ada Admin' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave workspace' }).click();
    await page.getByText('The last admin of a workspace cannot be removed').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Add member' }).click();
    const who = page.getByLabel('E-mail address or user ID');
    await who.fill('nobody@demo.test');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('nobody with this address can be added').waitFor();
    expect(await who.inputValue()).toBe('nobody@demo.test');
    await visitor.checkAccessibility();
    await who.fill(demo.people.max.email);
    await page.reload();
    await page.getByRole('button', { name: 'Add member' }).click();
    await page.getByText('Your draft was restored.').waitFor();
    expect(await who.inputValue()).toBe(demo.people.max.email);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await row.getByText('Member', { exact: true }).waitFor();
    await outsider.page.getByRole('link', { name: /^Go to / }).click();
    await outsider.page.getByRole('heading', { name: /^(Home|Welcome to )/, level: 1 }).waitFor();
    await outsider.leave();
    await visitor.leave();
  });

  it('fits a phone in dark mode', async () => {
    const context = { ...phone, colorScheme: 'dark' } as const;
    const visitor = await demo.visit('ada', context);
    const { page } = visitor;
    for (const path of ['grants?state=all', 'audit', 'insights', 'settings', 'members', 'grants/new']) {
      await visitor.open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await eventually(async () => expect(await page.getByLabel('Loading').count()).toBe(0));
      const wider = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect({ path, fits: wider <= 0 }).toEqual({ path, fits: true });
      await visitor.checkAccessibility();
    }
    await visitor.leave();
  });

  it('closes a workspace by its name, says so on its pages, and reopens it', async () => {
    const slug = `closing-${randomUUID().slice(0, 8)}`;
    await ada.ok('POST', '/api/workspaces', { slug, name: 'To close' });
    const stored = async () =>
      (await ada.ok<{ workspace: { closed_at: string | null } }>('GET', `/api/workspaces/${slug}`)).workspace;
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await page.goto(`${demo.url}/app/${slug}/settings`);
    await page.getByRole('button', { name: 'Close workspace' }).click();
    const dialog = page.getByRole('dialog', { name: 'Close this workspace?' });
    const name = dialog.getByLabel('Name of the workspace');
    await name.fill('to close');
    await dialog.getByRole('button', { name: 'Close workspace' }).click();
    await dialog.getByText('This is not its name').waitFor();
    expect(await stored()).toMatchObject({ closed_at: null });
    await name.fill('To close');
    await dialog.getByRole('button', { name: 'Close workspace' }).click();
    await page.getByText('This workspace is closed').waitFor();
    expect(await stored()).toMatchObject({ closed_at: expect.any(String) });
    expect(await page.getByRole('button', { name: 'Close workspace' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('button', { name: 'Close workspace' }).waitFor();
    await page.getByText('This workspace is closed').waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({ closed_at: null });
    await visitor.leave();
  });
});

/**
 * Approves what the demo session asks for, once, and waits until it has ended: the allowed call is recorded.
 */
async function approveTheWrite(
  demo: DemoInBrowser,
  ada: FrontDoor,
): Promise<{ grantId: string; requestId: string }> {
  const request = await demo.startDemoSession();
  const { grant } = await ada.ok<{ grant: { id: string } }>('POST', `${ada.workspace}/grants`, {
    agent_subject_id: request.agent_id,
    grant_type: 'tool_scope',
    details: request.details,
    scope: 'once',
    request_id: request.id,
    call_digest: request.refused_call?.digest ?? undefined,
    reason: 'The report is wanted.',
  });
  await ada.ended(request.session_id);
  return { grantId: grant.id, requestId: request.id };
}

const settingsOf = async (ada: FrontDoor) =>
  (await ada.ok<{ workspace: { name: string; settings: unknown } }>('GET', ada.workspace)).workspace;

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByLabel(label).first().click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
