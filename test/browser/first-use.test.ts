/** The path of a new user who knows nothing but the UI: no step is a dead end, and none needs a typed URL. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ask, say, waitFor, waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, openBrowser, type Visitor, visit } from '../support/browser.ts';
import { chooseTestPort } from '../support/free-port.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

const configuration = JSON.stringify({
  mcpServers: {
    files: { command: 'mcp-server-filesystem', args: ['.'] },
    Notes: {
      command: 'mcp-server-everything',
      env: { NOTES_TOKEN: 'ghp_0123456789abcdefghij0123456789abcdef' },
    },
    extra: { command: 'mcp-server-everything' },
  },
});
const writeNote = { call: 'files.write_file', arguments: { path: 'note.txt', content: 'x' } };

describeInBrowser('a new user of the web UI', () => {
  let platform: Platform;
  let browser: Browser;

  beforeAll(async () => {
    const port = await chooseTestPort();
    [platform, browser] = await Promise.all([startPlatform({ port }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  it('gets from the sign-in through an approval and an outage without a dead end', async () => {
    const visitor = await visit(browser, { url: platform.url });
    visitor.expectInConsole(/401 |422|ERR_|Failed to (load resource|fetch)/);
    await signInAndMakeWorkspace(visitor);
    await importThreeServers(visitor);
    const scope = await gateTools(visitor);
    await createAgent(visitor, scope);
    await attachServers(visitor);
    await startAndApprove(visitor);
    await messageAndTerminate(visitor);
    await addAndRemoveMember(visitor);
    await workThroughOutage(visitor);
    await visitor.leave();
  });

  async function workThroughOutage(visitor: Visitor): Promise<void> {
    const { page } = visitor;
    await follow(page, 'Agents');
    await page.getByRole('link', { name: 'New agent' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('after the outage');
    await page.getByRole('button', { name: 'Use an example' }).click();
    const { dataDirectory } = platform;
    const port = Number(new URL(platform.url).port);
    await platform.stop({ keepData: true });
    const banner = page.getByText('Nothing you typed is lost');
    await banner.waitFor();
    // A user who tries anyway can press the button, and sees why it fails.
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('The platform is unreachable.', { exact: true }).waitFor();
    await seen(visitor, '10-away');
    platform = await startPlatform({ dataDirectory, port });
    await banner.waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('after the outage');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'after the outage', level: 1 }).waitFor();
    await seen(visitor, '11-back');
  }
});

/** Follows a link of the navigation. */
const follow = (page: Page, section: string) =>
  page.getByRole('navigation').getByRole('link', { name: section }).click();

/** Expects no failure on the page, and accessibility. */
async function seen(visitor: Visitor, picture: string): Promise<void> {
  await visitor.picture(`first-use-${picture}`);
  expect(await visitor.page.getByText(/page crashed|could not be loaded|was not found/).count()).toBe(0);
}

async function signInAndMakeWorkspace(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await page.goto('/');
  await seen(visitor, '01-sign-in');
  await page.getByRole('button', { name: 'Nora Newcomer' }).click();
  await page.getByText('You are not in a workspace').waitFor();
  await page.getByLabel('Name').fill('My team');
  await seen(visitor, '02-new-workspace');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Welcome to My team', level: 1 }).waitFor();
  await seen(visitor, '03-empty');
  await follow(page, 'Sessions');
  await page.getByRole('heading', { name: /^No / }).waitFor();
  // Without an agent, starting a session leads to creating one.
  await page.getByRole('link', { name: 'Start session' }).first().click();
  await page.getByRole('link', { name: 'Go to agents' }).click();
  await page.getByRole('heading', { name: 'No agents yet' }).waitFor();
}

async function importThreeServers(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await follow(page, 'MCP servers');
  await page.getByRole('link', { name: 'Import configuration' }).first().click();
  await page.getByRole('textbox', { name: 'Configuration' }).fill(configuration);
  await page.getByRole('region', { name: 'Notes' }).getByText('it will be named "notes"').waitFor();
  await seen(visitor, '04-import');
  await page.getByRole('button', { name: 'Register 3 servers' }).click();
  await page.getByText('files, notes, extra are in the catalog').waitFor();
  await page.getByRole('button', { name: 'Set NOTES_TOKEN' }).waitFor();
  await seen(visitor, '05-imported');
}

/** Fills in what a check suggests from the server's claims; returns the scope that a write then needs. */
async function gateTools(visitor: Visitor): Promise<string> {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Gate tools of files' }).click();
  await page.getByRole('button', { name: 'Run check' }).click();
  await page.getByText(/^The server works and lists/).waitFor({ timeout: 180_000 });
  await page.getByRole('button', { name: /^Use suggestions for/ }).click();
  const scope = await page.getByLabel('Scope of write_file').inputValue();
  expect(scope).toMatch(/^files\./);
  await page.getByRole('button', { name: 'Save access' }).click();
  await page.getByText('Access saved').waitFor();
  await seen(visitor, '06-gated');
  return scope;
}

async function createAgent(visitor: Visitor, scope: string): Promise<void> {
  const { page } = visitor;
  const steps = [
    { ...writeNote, expect: 'permission_required' },
    ask('once', 'To keep a note.', scope),
    waitFor('Permission request'),
    writeNote,
    waitFor('thank you'),
    say('You are welcome'),
    waitForever,
  ];
  await follow(page, 'Agents');
  await page.getByRole('link', { name: 'New agent' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('note-keeper');
  await page.getByText('JSON', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Steps as JSON' }).fill(JSON.stringify({ steps }));
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'note-keeper', level: 1 }).waitFor();
}

/** Attaches one that needs nothing, and one that needs a secret, which is created in place. */
async function attachServers(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  for (const server of ['files', 'notes']) {
    await page.getByRole('combobox', { name: 'Attach an MCP server' }).click();
    await page.getByRole('option', { name: server, exact: true }).click();
    await page.getByRole('heading', { name: `Attach ${server}` }).waitFor();
    if (server === 'notes') {
      await page.getByRole('button', { name: 'New secret' }).click();
      const dialog = page.getByRole('dialog', { name: 'New secret' });
      expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('NOTES_TOKEN');
      await dialog.getByLabel('Value').fill('made on the spot');
      await dialog.getByRole('button', { name: 'Set' }).click();
      await dialog.waitFor({ state: 'detached' });
      await seen(visitor, '07-attach');
    }
    await page.getByRole('button', { name: 'Attach', exact: true }).click();
    await page.getByRole('heading', { name: 'note-keeper', level: 1 }).waitFor();
    await page.getByRole('button', { name: `Detach ${server}` }).waitFor();
  }
}

async function startAndApprove(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Start session' }).click();
  await page.getByLabel('Prompt').fill('Keep a note.');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Permission request' });
  await dialog.getByRole('heading', { level: 3 }).waitFor({ timeout: 180_000 });
  await seen(visitor, '08-approve');
  await dialog.getByRole('button', { name: 'Approve this call only' }).click();
  await page.getByText('Allowed: this call only').waitFor();
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await transcript
    .getByRole('listitem')
    .filter({ hasText: /files\.write_file.*done/ })
    .waitFor();
}

async function messageAndTerminate(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await page.getByRole('textbox', { name: 'Message to the agent' }).fill('thank you');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('region', { name: 'Transcript' }).getByText('You are welcome').waitFor();
  await seen(visitor, '09-session');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await page.getByText('The session has ended.').waitFor();
}

async function addAndRemoveMember(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await follow(page, 'Members');
  await page.getByRole('button', { name: 'Add member' }).click();
  await page.getByLabel('E-mail address or user ID').fill('max@demo.test');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: 'max@demo.test' });
  await row.getByRole('button', { name: 'Remove: Max Member' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  await seen(visitor, '09b-members');
}
