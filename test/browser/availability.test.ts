/**
 * What this installation cannot run is disabled with the reason, before anything is typed; and what
 * admins see about the system.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { WorkerCapabilities } from '../../contract/available-runs.ts';
import { forgetWorker, reportWorker } from '../../store/workers/workers.ts';
import { describeInBrowser, openBrowser, phone, visit } from '../support/browser.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { processesMentioning } from '../support/processes.ts';

const worker: WorkerCapabilities = {
  runtime: 'process',
  sandbox: true,
  internet: true,
  commands: null,
  missing_commands: [],
  limits: [],
  claude: false,
};
const needsEngine = /Not available here: images need a container engine or a cluster/;
const stdio = { transport: { type: 'stdio' } };
const configuration = JSON.stringify({
  servers: [
    {
      name: 'ada/local',
      packages: [{ registryType: 'npm', identifier: 'local', version: '1.0.0', ...stdio }],
    },
    { name: 'ada/boxed', packages: [{ registryType: 'oci', identifier: 'ghcr.io/ada/boxed:1', ...stdio }] },
  ],
});

describeInBrowser('what cannot run here, in the web UI', () => {
  let platform: Platform;
  let browser: Browser;

  beforeAll(async () => {
    [platform, browser] = await Promise.all([startPlatform(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  /** A worker that keeps reporting itself, beside the real one; the returned function stops it. */
  async function reportMachine(capabilities: Partial<WorkerCapabilities>): Promise<() => Promise<unknown>> {
    const id = randomUUID();
    await withPlatformDatabase(platform, async (db) => {
      await reportWorker(db, { id, capabilities: { ...worker, ...capabilities } });
      await db('workers')
        .where({ id })
        .update({ seen_at: db.raw("now() + interval '1 hour'") });
    });
    return () => withPlatformDatabase(platform, (db) => forgetWorker(db, id));
  }

  it('is disabled in forms with the reason, and named in the preview of an import', async () => {
    // Also where agents of others are installed for their own tests.
    const forget = await reportMachine({});
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    await visitor.open('catalog/_/new');
    await page.getByText(needsEngine).waitFor();
    expect(await page.getByRole('radio', { name: 'Container image' }).isDisabled()).toBe(true);
    for (const name of ['Command', 'Remote URL']) {
      expect(await page.getByRole('radio', { name }).isDisabled()).toBe(false);
    }
    expect(await page.getByLabel('Allowed private destinations').isDisabled()).toBe(true);

    await visitor.open('agents/new');
    await page.getByText('Container image is not available here').first().waitFor();
    await page.getByRole('combobox', { name: 'Program type' }).click();
    const option = page.getByRole('option', { name: /^Container image: not available here/ });
    expect(await option.getAttribute('data-combobox-disabled')).toBe('true');
    await page.getByRole('option', { name: /^Coding agent of somebody else/ }).click();
    await page.getByText(/^Codex: "codex" is not installed .* "npm run acp:install -- codex"/).waitFor();
    await page.getByText(/^Codex: no endpoint of this workspace speaks Responses/).waitFor();
    await page.getByRole('combobox', { name: 'Agent', exact: true }).click();
    const [first] = await page.getByRole('option').allTextContents();
    expect(first).toBe('Another program that speaks ACP');
    const absent = page.getByRole('option', { name: 'Codex: not available' });
    expect(await absent.getAttribute('data-combobox-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Name' }).fill('coder');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('must not be empty').waitFor();
    await page.getByRole('textbox', { name: 'Command' }).fill('my-agent');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'coder', level: 1 }).waitFor();
    await page.getByText('my-agent (ACP)').first().waitFor();

    await visitor.open('catalog/_/import');
    await page.getByRole('textbox', { name: 'Configuration' }).fill(configuration);
    const boxed = page.getByRole('region', { name: 'ada/boxed' });
    await boxed.getByText('it cannot run here: images need a container engine').waitFor();
    await page.getByText('1 of 2 cannot be registered.').waitFor();
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByText('local is in the catalog').waitFor();
    await page
      .getByRole('region', { name: 'Not registered' })
      .getByText('it cannot run here: images need a container engine')
      .waitFor();
    await forget();
    await visitor.leave();
  });

  it('is marked on existing entries and agents', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada', isAlone: true });
    const { page } = visitor;
    // As after a move from a cluster to this runtime: an image entry exists.
    await page.route('**/api/workspaces/demo/mcp-servers*', async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      const body = JSON.parse(await response.text()) as {
        mcp_servers: { name: string; unavailable: unknown }[];
      };
      const servers = body.mcp_servers.map((server) =>
        server.name === 'files' ? { ...server, unavailable: { reason: 'it needs something' } } : server,
      );
      await route.fulfill({ response, body: JSON.stringify({ ...body, mcp_servers: servers }) });
    });
    await visitor.open('catalog');
    await page
      .getByRole('row')
      .filter({ hasText: 'files' })
      .getByLabel('Cannot run here: it needs something')
      .waitFor();
    await visitor.open('agents');
    await page.getByRole('link', { name: 'scribe' }).click();
    await page.getByLabel('Cannot run here: it needs something').waitFor();
    await visitor.leave();
  });

  it('is the internet: disabled in forms, and stated for whatever needs it', async () => {
    const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    const shape = { type: 'command', command: 'mcp-server-everything', args: [] };
    await ada.ok('POST', '/api/workspaces/demo/mcp-servers', { name: 'far', shape, network: 'internet' });
    const traveller = await ada.createAgent('traveller', [], { far: {} });
    const settled = await ada.createAgent('settled', [], {});
    const forget = await reportMachine({ internet: false });
    const visitor = await visit(browser, { url: platform.url, as: 'ada', isAlone: true });
    const { page } = visitor;
    const alert = page.getByRole('note').filter({ hasText: 'Sessions that use this cannot start here' });

    await visitor.open('catalog/_/new');
    await page
      .getByText(/Not available here: there is no way from sessions to the internet/)
      .first()
      .waitFor();
    expect(await page.getByRole('radio', { name: 'Remote URL' }).isDisabled()).toBe(true);
    expect(await page.getByRole('radio', { name: 'The internet' }).isDisabled()).toBe(true);
    expect(await page.getByRole('radio', { name: 'None' }).isChecked()).toBe(true);

    await visitor.open('catalog/_/import');
    const pasted = JSON.stringify({ mcpServers: { near: { command: 'mcp-server-everything' } } });
    await page.getByRole('textbox', { name: 'Configuration' }).fill(pasted);
    await page.getByText(/it cannot run here: there is no way from sessions to the internet/).waitFor();
    expect(await page.getByRole('button', { name: 'Register', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Register without network access' }).check();
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByText(/^near is in the catalog/).waitFor();

    await visitor.open('catalog');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('far')
      .getByLabel(/^Cannot run here: there is no way/)
      .waitFor();
    expect(
      await row('near')
        .getByLabel(/^Cannot run here/)
        .count(),
    ).toBe(0);

    await visitor.open(`agents/${settled.id}/servers/far`);
    await alert.getByText(/slirp4netns/).waitFor();
    expect(await page.getByRole('button', { name: 'Attach' }).isDisabled()).toBe(true);
    await visitor.open('agents');
    await row('traveller')
      .getByLabel(/^Cannot run here: its MCP server "far": there is no way/)
      .waitFor();
    await visitor.open(`agents/${traveller.id}`);
    await alert.getByText(/Its MCP server "far"/).waitFor();
    expect(await page.getByRole('button', { name: 'Start session' }).isDisabled()).toBe(true);
    await visitor.open(`sessions/new?agent=${traveller.id}`);
    await alert.getByText(/Its MCP server "far"/).waitFor();
    expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
    await page.getByRole('combobox', { name: 'Agent' }).click();
    const option = page.getByRole('option', { name: /^traveller: cannot run here/ });
    expect(await option.getAttribute('data-combobox-disabled')).toBe('true');
    await page.getByRole('option', { name: 'settled' }).click();
    await alert.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(false);

    await visitor.open('system');
    const ruledOut = page.getByRole('region', { name: 'Not available here' });
    for (const what of [
      'Internet access of agents and MCP servers',
      'Remote MCP servers',
      'The built-in agent Claude',
      'MCP servers and agents that are images',
      'Private destinations',
    ]) {
      await ruledOut.getByText(`${what}.`, { exact: true }).waitFor();
    }
    const internet = /^Internet access of agents and MCP servers\. There is no way .* slirp4netns/;
    await ruledOut.getByText(internet).waitFor();
    await forget();
    await visitor.leave();
  });

  it('is a command where the machine has no sandbox, except the preinstalled ones', async () => {
    const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    const running = { type: 'command', command: 'mcp-server-everything', args: [] };
    await ada.ok('POST', '/api/workspaces/demo/mcp-servers', {
      name: 'fenced',
      shape: running,
      network: 'none',
    });
    const forget = await reportMachine({ sandbox: false, commands: ['mcp-server-filesystem'] });
    const visitor = await visit(browser, { url: platform.url, as: 'ada', isAlone: true });
    visitor.expectInConsole(/422/);
    const { page } = visitor;
    const alert = page.getByRole('note').filter({ hasText: 'Sessions that use this cannot start here' });

    await visitor.open('catalog/_/new');
    await page.getByText(/Not available here: there is no sandbox on the machine/).waitFor();
    expect(await page.getByRole('radio', { name: 'Command' }).isDisabled()).toBe(false);
    await page.getByText(/Not available here: remote MCP servers need a sandbox/).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('unfenced');
    await page.getByRole('textbox', { name: 'Command' }).fill('node');
    await page.getByRole('radio', { name: 'None' }).check();
    await page.getByRole('button', { name: 'Register' }).click();
    const refused = page.locator('.mantine-InputWrapper-error').filter({ hasText: 'there is no sandbox' });
    await refused.waitFor();
    await page.getByRole('textbox', { name: 'Command' }).fill('mcp-server-filesystem');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'unfenced', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Configuration' }).waitFor();
    expect(await alert.count()).toBe(0);

    await visitor.open('catalog/fenced');
    await alert.getByText(/^There is no sandbox on the machine/).waitFor();

    await visitor.open('agents/new');
    await page.getByText(/^Command is not available here: there is no sandbox/).waitFor();
    await page.getByRole('combobox', { name: 'Program type' }).click();
    const option = page.getByRole('option', { name: /^Command: not available here/ });
    expect(await option.getAttribute('data-combobox-disabled')).toBe('true');

    await visitor.open('system');
    const facts = page.getByRole('region', { name: 'Components' });
    await facts.getByText('each in a sandbox of its own on some workers only').waitFor();
    const except = 'MCP servers that are commands, but for mcp-server-filesystem.';
    await page
      .getByRole('region', { name: 'Not available here' })
      .getByText(except, { exact: true })
      .waitFor();
    await forget();
    await visitor.leave();
  });

  it('is listed for admins on the System page, with what runs', async () => {
    for (const context of [{ viewport: { width: 1280, height: 720 } }, phone]) {
      const visitor = await visit(browser, { url: platform.url, as: 'ada', context });
      const { page } = visitor;
      await visitor.open('system');
      const running = page.getByRole('region', { name: 'Components' });
      await running.getByText('1 running').waitFor();
      await running.getByText(/each in a sandbox of its own$/).waitFor();
      expect(await running.getByText('Down', { exact: true }).count()).toBe(0);
      expect(await page.getByLabel('A worker', { exact: true }).count()).toBe(1);
      await page
        .getByRole('region', { name: 'Not available here' })
        .getByText(/Images need a container engine/)
        .waitFor();
      await visitor.checkAccessibility();
      const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(wider).toBeLessThanOrEqual(0);
      await visitor.picture('system');
      await visitor.leave();
    }
  });

  it('shows on the System page that Temporal is unreachable, and that it is back', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    const [temporal] = await processesMentioning(join(platform.dataDirectory, 'temporal'));
    if (temporal === undefined) {
      throw new Error('Temporal does not run');
    }
    process.kill(temporal.pid, 'SIGSTOP');
    try {
      await visitor.open('system');
      await page.getByText('unreachable: no session can start and no decision can be made').waitFor();
    } finally {
      process.kill(temporal.pid, 'SIGCONT');
    }
    await untilFound('Temporal on the page', async () => {
      await page.reload();
      const text = await page.getByRole('region', { name: 'Components' }).textContent();
      return text?.includes('no session can start and') === false ? text : null;
    });
    await visitor.leave();
  });
});
