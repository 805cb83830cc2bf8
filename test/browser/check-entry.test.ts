/**
 * An admin checks an entry before an agent attaches it: its inputs, the outcome, its tools and their scopes.
 */
import { beforeAll, expect, it } from '@jest/globals';
import type { McpServer } from '../../contract/catalog.ts';
import { checkedServer } from '../hostile/inside/checked-server.ts';
import { describeInBrowser } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { refuseOnce } from '../support/refused-changes.ts';

const secret = 'sesame-of-the-checked-page';

describeInBrowser('the check of a catalog entry', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;
  let servers: string;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
    servers = `${ada.workspace}/mcp-servers`;
    await ada.ok('PUT', `${ada.workspace}/secrets/CHECK_TOKEN`, { value: secret });
    await ada.ok('POST', servers, {
      name: 'checked',
      shape: checkedServer,
      network: 'none',
      manifest: {
        env: {
          API_TOKEN: { kind: 'secret', label: 'Token', required: true },
          MODE: { kind: 'value', label: 'Mode', required: true },
        },
        tool_scopes: { gone: 'checked.old' },
      },
    });
    await ada.ok('POST', servers, {
      name: 'missing',
      shape: { type: 'command', command: '/no/such/program', args: [] },
      network: 'none',
    });
  });

  it('takes a secret by name, lists the tools with the claims of the server, and saves the chosen scopes', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    visitor.expectInConsole(/422/);
    await visitor.open('catalog/checked');
    await page.getByRole('link', { name: 'Check', exact: true }).click();
    await page.getByRole('heading', { name: 'Check checked' }).waitFor();
    await page.getByLabel('Mode (MODE)').fill('honest');
    await page.getByRole('button', { name: 'Run check' }).click();
    await page.getByText('is required').first().waitFor();
    await page.getByRole('combobox', { name: /Token/ }).click();
    await page.getByRole('option', { name: /CHECK_TOKEN/ }).click();
    await page.getByRole('button', { name: 'Run check' }).click();
    await page.getByText('The server works and lists 2 tools').waitFor();

    // A reload shows the same check again.
    await page.reload();
    await page.getByText('The server works and lists 2 tools').waitFor();
    const tools = page.getByRole('region', { name: 'Tools' });
    const erase = tools.getByRole('row', { name: /erase/ });
    await erase.getByText('claims: destructive').waitFor();
    expect(await erase.getByLabel('Scope of erase').count()).toBe(0);
    await tools.getByRole('button', { name: /^Use suggestions for/ }).click();
    expect(await erase.getByLabel('Scope of erase').inputValue()).toBe('checked.delete');
    await erase.getByLabel('Scope of erase').fill('Wrong Scope');
    expect(await tools.getByRole('button', { name: 'Save access' }).isDisabled()).toBe(true);
    await erase.getByRole('button', { name: 'Use checked.delete' }).click();
    const look = tools.getByRole('row', { name: /look/ });
    await look.getByText('Not offered').click();
    await tools.getByText('From then on only tools of this list can be called').waitFor();
    await look.getByText('Open', { exact: true }).click();
    await tools.getByText('1 tool changed').waitFor();
    // Visiting another page loses neither the check nor what was typed.
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
    await visitor.open('catalog/checked');
    await page.getByRole('link', { name: 'Check', exact: true }).click();
    await tools.waitFor();
    expect(await erase.getByLabel('Scope of erase').inputValue()).toBe('checked.delete');
    await visitor.checkAccessibility();
    await visitor.picture('check-entry');
    await tools.getByRole('button', { name: 'Save access' }).click();
    await tools.getByText('Access saved').waitFor();
    const { mcp_server } = await ada.ok<{ mcp_server: McpServer }>('GET', `${servers}/checked`);
    expect(mcp_server.manifest.tool_scopes).toEqual({
      gone: 'checked.old',
      erase: 'checked.delete',
    });
    expect(Object.keys(mcp_server.manifest.env).sort()).toEqual(['API_TOKEN', 'MODE']);
    await erase.getByLabel('Scope of erase').fill('checked.other');
    await tools.getByText('Access saved').waitFor({ state: 'detached' });
    // Another admin gates the other tool meanwhile: what was typed for the version before does not open it.
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
    const { name, shape, network, manifest } = mcp_server;
    await ada.ok('PUT', `${servers}/checked`, {
      ...{ name, shape, network },
      manifest: { ...manifest, tool_scopes: { ...manifest.tool_scopes, look: 'checked.read' } },
    });
    await visitor.open('catalog/checked/check');
    await tools.waitFor();
    expect(await look.getByLabel('Scope of look').inputValue()).toBe('checked.read');
    expect(await erase.getByLabel('Scope of erase').inputValue()).toBe('checked.delete');
    await tools.getByText('Nothing changed').waitFor();

    // A check makes no version.
    await visitor.open('catalog/checked');
    await page.getByRole('row', { name: /^1 registered/ }).waitFor();
    await page.getByRole('row', { name: /^2 manifest/ }).waitFor();
    expect(await page.getByText(/workspace\.mcp\./).count()).toBe(0);
    await visitor.leave();
  });

  it('shows hostile text as plain text, and the output of the server without its secret, as not verified', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('catalog/checked/check');
    const check = async (mode: string) => {
      await page.getByLabel('Mode (MODE)').fill(mode);
      await page.getByRole('button', { name: 'Run check' }).click();
    };
    await page.getByRole('combobox', { name: /Token/ }).click();
    await page.getByRole('option', { name: /CHECK_TOKEN/ }).click();
    await check('terminal escapes');
    await page.getByText('The server works and lists one tool').waitFor();
    expect(await page.locator('.hidden-character').count()).toBeGreaterThan(0);

    await check('secrets');
    await page.getByText('with-[secret]').waitFor();
    await page.getByRole('button', { name: /^Output/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Output of checked' });
    await dialog.getByText('plain [secret]').waitFor();
    await dialog.getByText('not verified').waitFor();
    expect(await page.content()).not.toContain(secret);
    await visitor.leave();
  });

  it('says why a server is not working and what to do, and can be cancelled', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('catalog/missing/check');
    await page.getByRole('button', { name: 'Run check' }).click();
    await page.getByText('The server did not start: its program was not found').waitFor();
    await page.getByText('Check the command of its catalog entry').waitFor();
    await page.getByRole('link', { name: 'Edit entry' }).click();
    // As typed in a shell.
    await page.getByRole('textbox', { name: 'Command' }).fill('mcp-server-filesystem /workspace');
    await page
      .getByRole('button', { name: 'Move what follows mcp-server-filesystem to the arguments' })
      .click();
    expect(await page.getByRole('textbox', { name: 'Command' }).inputValue()).toBe('mcp-server-filesystem');
    expect(await page.getByLabel('Argument 1', { exact: true }).inputValue()).toBe('/workspace');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Check', exact: true }).click();
    await page.getByRole('button', { name: 'Run check' }).click();
    await page.getByText(/The server works and lists \d+ tools/).waitFor();

    await visitor.open('catalog/checked/check');
    await page.getByLabel('Mode (MODE)').fill('silence');
    await page.getByRole('combobox', { name: /Token/ }).click();
    await page.getByRole('option', { name: /CHECK_TOKEN/ }).click();
    await page.getByRole('button', { name: 'Run check' }).click();
    await refuseOnce(visitor, /\/checks\/[^/]+\/cancel$/, 'Cancel check');
    await page.getByRole('button', { name: 'Cancel check' }).click();
    await page.getByText('An admin cancelled the check').waitFor();
    await visitor.leave();
  });

  it('is not available to members', async () => {
    const visitor = await demo.visit('max');
    const { page } = visitor;
    await visitor.open('catalog/checked');
    await page.getByRole('heading', { name: 'checked', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Check', exact: true }).count()).toBe(0);
    await visitor.open('catalog/checked/check');
    await page.getByText('Only workspace admins can register, edit or check MCP servers.').waitFor();
    await visitor.leave();
  });
});
