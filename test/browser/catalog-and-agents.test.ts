/**
 * The catalog and agents through the UI: import a server, create an agent, attach with
 * errors at fields, start it.
 */
import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import { serverDocument } from '../../contract/server-document.ts';
import { waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, phone } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { addStep, exampleSteps, readJson } from '../support/step-rows.ts';

const configuration = JSON.stringify({
  mcpServers: {
    'Second Everything': {
      command: 'mcp-server-everything',
      args: [],
      env: { SERVICE_TOKEN: 'ghp_never0sent0anywhere0', DETAIL: 'brief' },
      disabled: false,
    },
    inner: { url: 'https://10.1.2.3/mcp' },
    files: { command: 'npx', args: ['--api-key', 'abc'] },
  },
});

describeInBrowser('the catalog and agents in the web UI', () => {
  const demo = demoInBrowser();

  it('import a desktop configuration: register what is possible, name what is not, send no secret', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    visitor.expectInConsole(/status of 422 .*\/mcp-servers\/dry-run/);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await visitor.open('catalog');
    await page.getByRole('link', { name: 'Import configuration' }).click();
    await page.getByRole('textbox', { name: 'Configuration' }).fill('{');
    await page.getByText('Invalid JSON').waitFor();
    await page.getByRole('textbox', { name: 'Configuration' }).fill(configuration);
    const planned = page.getByRole('region', { name: 'Second Everything' });
    await planned
      .getByText(
        '"Second Everything" is no name that the catalog takes: it will be named "second-everything"',
      )
      .waitFor();
    await planned.getByText('"disabled" is not supported here and is ignored').waitFor();
    const refused = page.getByRole('region', { name: 'files' });
    await refused.getByText('argument 2 looks like a secret').waitFor();
    await refused.getByText('the catalog already has "files"').waitFor();
    // The platform alone knows its settings.
    await page.getByRole('region', { name: 'inner' }).getByText('PRIVATE_MCP_HOSTS').waitFor();
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Register' }).click();
    // It ends as a whole one does, with what is left and why.
    await page.getByText('second-everything is in the catalog').waitFor();
    await page.getByRole('button', { name: 'Set SERVICE_TOKEN' }).waitFor();
    await page.getByRole('link', { name: 'Gate tools of second-everything' }).waitFor();
    const left = page.getByRole('region', { name: 'Not registered' });
    await left.getByText('argument 2 looks like a secret').waitFor();
    await page.getByRole('button', { name: 'Change the configuration' }).click();
    await refused.getByText('argument 2 looks like a secret').waitFor();
    await planned.waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Configuration' }).inputValue()).toBe(configuration);
    page.once('dialog', (question) => void question.accept());
    expect(sent.join('\n')).not.toContain('ghp_');
    await visitor.open('catalog/second-everything');
    await page.getByRole('link', { name: 'Check the server' }).click();
    await page.getByRole('heading', { name: 'Check second-everything' }).waitFor();
    await visitor.open('catalog/_/import');
    await page
      .getByRole('textbox', { name: 'Configuration' })
      .fill(configuration.replace('Second', 'Third').replace(/,"inner":.*/, '}}'));
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('link', { name: 'Gate tools of third-everything' }).click();
    await page.getByRole('heading', { name: 'Check third-everything' }).waitFor();
    const ada = await demo.signIn('ada');
    const { mcp_server } = await ada.ok<{ mcp_server: { manifest: unknown } }>(
      'GET',
      `${ada.workspace}/mcp-servers/second-everything`,
    );
    expect(mcp_server.manifest).toEqual({
      env: {
        SERVICE_TOKEN: { kind: 'secret', label: 'Service token', required: true },
        DETAIL: { kind: 'value', label: 'Detail', default: 'brief' },
      },
      tool_scopes: {},
    });
    await visitor.leave();
  });

  it('import a document of the MCP registry, and give the entry back as one', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    const stdio = { transport: { type: 'stdio' } };
    const document = {
      name: 'io.github.ada/weather',
      version: '1.0.2',
      packages: [
        { registryType: 'oci', identifier: 'ghcr.io/ada/weather:1.0.2', ...stdio },
        {
          registryType: 'npm',
          identifier: '@ada/weather',
          version: '1.0.2',
          ...stdio,
          packageArguments: [{ type: 'positional', value: 'start' }],
          environmentVariables: [{ name: 'WEATHER_KEY', isRequired: true, isSecret: true }],
        },
      ],
    };
    await visitor.open('catalog/_/import');
    await page.getByRole('textbox', { name: 'Configuration' }).fill(JSON.stringify({ server: document }));
    const planned = page.getByRole('region', { name: 'io.github.ada/weather' });
    await planned.getByText('npx -y @ada/weather@1.0.2 start').waitFor();
    await planned.getByText('it is also offered as the oci package ghcr.io/ada/weather:1.0.2').waitFor();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('link', { name: 'Gate tools of weather' }).waitFor();
    await visitor.open('catalog/weather');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as server.json' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('weather.server.json');
    const saved = serverDocument.parse(JSON.parse(await readFile(await download.path(), 'utf8')));
    expect(saved.packages).toMatchObject([
      { registryType: 'npm', identifier: '@ada/weather', version: '1.0.2' },
    ]);
    await visitor.leave();
  });

  it('validate a manifest while typing, keep its versions, and name what blocks a removal', async () => {
    const visitor = await demo.visit('ada');
    visitor.expectInConsole(/409/);
    const { page } = visitor;
    await visitor.open('catalog/files/edit');
    await page
      .getByRole('textbox', { name: 'Tools and variables' })
      .fill('{ "tool_scopes": { "write_file": "Files" } }');
    await page.getByText('manifest.tool_scopes.write_file: must be dot-separated').waitFor();
    await page
      .getByRole('textbox', { name: 'Tools and variables' })
      .fill('{ "tool_scopes": { "write_file": "files.change" } }');
    await page.getByRole('cell', { name: 'files.change' }).waitFor();
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /2 manifest/ }).waitFor();
    await visitor.picture('catalog-entry');
    await page.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove files?' });
    await dialog.getByRole('button', { name: 'Remove server' }).click();
    await dialog.getByRole('link', { name: 'scribe' }).waitFor();
    await visitor.leave();
  });

  it('create an agent, attach a server after errors at its fields, and start it', async () => {
    const visitor = await demo.visit('ada');
    visitor.expectInConsole(/422/);
    const { page } = visitor;
    await visitor.open('agents');
    await page.getByRole('link', { name: 'New agent' }).click();
    const view = (name: string) => page.getByText(name, { exact: true }).click();
    await view('JSON');
    const json = page.getByRole('textbox', { name: 'Steps as JSON' });
    await json.fill('{ "steps": [ {} ] }');
    const rule = 'must have exactly one of call, list_tools, wait_for_message, sleep_seconds and write';
    await page.getByText(rule).waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('2 fields need attention.').waitFor();
    await view('Rows');
    await page.getByRole('group', { name: 'Step 1' }).getByText(rule).waitFor();
    await page.getByRole('button', { name: 'Remove step 1' }).click();
    await page.getByRole('button', { name: 'Use an example' }).click();
    await addStep(page);
    expect(JSON.parse(await readJson(page))).toEqual({
      steps: [
        { call: 'platform.emit_status', arguments: { status: 'Working' }, save: { at: 'a.0' } },
        { call: 'platform.emit_status', arguments: { status: { $saved: 'at' } } },
        { call: 'platform.end_session', arguments: { outcome: 'completed', summary: 'Done.' } },
      ],
    });
    await json.fill(exampleSteps);
    await view('Rows');
    expect(await page.getByRole('textbox', { name: 'Value of status' }).inputValue()).toBe('Working');
    await page.getByRole('textbox', { name: 'Ends after' }).fill('soon');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('must be a length of time such as 2 h 30 min').waitFor();
    await page.getByRole('textbox', { name: 'Ends after' }).fill('90m');
    await visitor.picture('agent-form');
    await page.getByRole('textbox', { name: 'Name' }).fill('tester');
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'tester', level: 1 }).waitFor();
    await page.getByText('1 h 30 min', { exact: true }).waitFor();

    await page.getByRole('combobox', { name: 'Attach an MCP server' }).click();
    await page.getByRole('option', { name: 'everything', exact: true }).click();
    await page.getByRole('heading', { name: 'Attach everything' }).waitFor();
    await page.getByRole('button', { name: 'Attach' }).click();
    const token = page.getByRole('combobox', { name: /Token of the demo service/ });
    await page.getByText('is required').waitFor();
    expect(await token.getAttribute('aria-invalid')).toBe('true');
    await visitor.checkAccessibility();
    await visitor.picture('attachment-errors');
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('FOR_TESTER');
    await dialog.getByLabel('Value').fill('made on the spot');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await token.inputValue()).toBe('FOR_TESTER');
    await page.getByRole('button', { name: 'Attach' }).click();
    await page.getByRole('link', { name: 'FOR_TESTER' }).waitFor();
    await visitor.picture('agent');

    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Duplicate tester' }).waitFor();
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('heading', { name: 'tester copy', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'FOR_TESTER' }).waitFor();
    await page.getByText('None that you can open.').waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('heading', { name: 'tester', exact: true, level: 1 }).waitFor();

    const start = await page.getByRole('link', { name: 'Start session' }).getAttribute('href');
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(start).toContain(`agent=${id}`);
    await visitor.leave();

    const ada = await demo.signIn('ada');
    const ended = await ada.ended((await ada.startSession(id)).id);
    expect(ended.status).toBe('completed');
  });

  it('give an agent a sibling that it waits for, after errors at its fields', async () => {
    const ada = await demo.signIn('ada');
    const agent = await ada.createAgent('with-a-database', [{ sleep_seconds: 0 }], {});
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open(`agents/${agent.id}/edit`);
    await page.getByRole('button', { name: 'Add sibling' }).click();
    const sibling = page.getByRole('group', { name: /^sibling/ });
    await sibling.getByRole('textbox', { name: 'Name' }).fill('db');
    await sibling.getByRole('textbox', { name: 'Command', exact: true }).fill('postgres');
    await sibling.getByRole('combobox', { name: 'The agent starts' }).click();
    await page.getByRole('option', { name: 'When its port takes connections' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await sibling.getByText('needs the port that it waits for').waitFor();
    await sibling.getByRole('textbox', { name: 'Port' }).fill('5432');
    await sibling.getByRole('combobox', { name: 'The agent starts' }).click();
    await page.getByRole('option', { name: 'When a command beside it succeeds' }).click();
    await sibling.getByRole('textbox', { name: 'Command to ask with' }).fill('pg_isready');
    await sibling.getByRole('textbox', { name: 'Limit in seconds' }).fill('90');
    await visitor.checkAccessibility(sibling);
    await visitor.picture('sibling');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText('listens on port 5432, the agent starts when “pg_isready” succeeds, within 90 seconds')
      .waitFor();
    await visitor.leave();
    const { agent: saved } = await ada.ok<{ agent: Agent }>('GET', `/api/agents/${agent.id}`);
    expect(saved.siblings).toEqual([
      {
        ...{ name: 'db', run: { type: 'command', command: 'postgres', args: [] }, env: {}, port: 5432 },
        ready: { type: 'command', command: 'pg_isready', args: [], timeout_seconds: 90 },
      },
    ]);
  });

  it("warn of a secret in the agent's own environment, and grant it there", async () => {
    const ada = await demo.signIn('ada');
    const agent = await ada.createAgent('exposed', [{ sleep_seconds: 0 }], {});
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open(`agents/${agent.id}/edit`);
    const environment = page.getByRole('region', { name: 'Environment' });
    await environment.getByRole('button', { name: 'Add variable' }).click();
    await environment.getByRole('textbox', { name: 'Variable' }).fill('API_TOKEN');
    await environment.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Secret', exact: true }).click();
    await environment.getByText('The agent can read this secret').waitFor();
    await environment.getByRole('combobox', { name: 'Secret' }).click();
    await page.getByRole('option', { name: 'DEMO_API_TOKEN', exact: true }).click();
    await visitor.checkAccessibility(environment);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not granted: sessions will not start.').waitFor();
    await page.getByRole('button', { name: 'Let the agent read DEMO_API_TOKEN' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Let the agent read it' }).click();
    await page.getByText('granted: the agent can read it').waitFor();
    await visitor.checkAccessibility();
    await visitor.leave();
  });

  it('list the servers of an agent without scrolling sideways on a phone', async () => {
    const ada = await demo.signIn('ada');
    const env = { TOKEN: { kind: 'secret', label: 'Token', required: true } };
    const shape = { type: 'command', command: 'mcp-server-everything', args: [] };
    const name = 'a-server-with-quite-a-long-name';
    await ada.ok('PUT', `${ada.workspace}/secrets/TRACKER_TOKEN`, { value: 'never to be shown' });
    await ada.ok('POST', `${ada.workspace}/mcp-servers`, { name, shape, manifest: { env } });
    const agent = await ada.createAgent('many', [waitForever], {
      files: {},
      [name]: { TOKEN: '${TRACKER_TOKEN}' },
    });
    const visitor = await demo.visit('ada', phone);
    const { page } = visitor;
    await visitor.open(`agents/${agent.id}`);
    const table = page.getByRole('region', { name: 'MCP servers' }).getByRole('table');
    await table.getByText('TRACKER_TOKEN').waitFor();
    await table.getByRole('button', { name: `Detach ${name}` }).waitFor();
    const hidden = await table.evaluate(
      ({ parentElement: box }: { parentElement: { scrollWidth: number; clientWidth: number } }) =>
        box.scrollWidth - box.clientWidth,
    );
    expect(hidden).toBeLessThanOrEqual(0);
    await visitor.checkAccessibility();
    await visitor.leave();
  });

  it('archive an agent whose sessions run, leave it out of what starts one, and take it back', async () => {
    const ada = await demo.signIn('ada');
    const agent = await ada.createAgent('retired', [waitForever], {});
    const session = await ada.startSession(agent.id);
    const visitor = await demo.visit('ada');
    visitor.expectInConsole(/409/);
    const { page } = visitor;
    await visitor.open(`agents/${agent.id}`);
    await page.getByRole('button', { name: 'Archive' }).click();
    const dialog = page.getByRole('dialog', { name: 'Archive this agent?' });
    await dialog.getByText('Unarchiving it gives none of that back.').waitFor();
    await dialog.getByRole('button', { name: 'Archive agent' }).click();
    await dialog.getByRole('link', { name: `retired (${session.id.slice(0, 8)})` }).waitFor();
    expect(await dialog.getByRole('radio', { name: 'End them' }).isChecked()).toBe(true);
    await visitor.checkAccessibility();
    await visitor.picture('archive-agent');
    await dialog.getByRole('button', { name: 'Archive agent' }).click();
    await page.getByText('This agent is archived').waitFor();
    expect(await page.getByRole('button', { name: 'Start session' }).isDisabled()).toBe(true);
    await visitor.picture('archived-agent');

    await visitor.open('agents');
    await page.getByRole('link', { name: 'scribe' }).waitFor();
    expect(await page.getByRole('link', { name: 'retired' }).count()).toBe(0);
    await page.getByLabel('Show').selectOption('Archived agents');
    await page.waitForURL('**/agents?state=archived');
    await page.getByRole('link', { name: 'retired' }).waitFor();
    expect(await page.getByRole('link', { name: 'scribe' }).count()).toBe(0);
    await visitor.picture('archived-agents');
    await visitor.open('sessions/new');
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'scribe' }).waitFor();
    expect(await page.getByRole('option', { name: 'retired' }).count()).toBe(0);

    await visitor.open(`agents/${agent.id}`);
    await page.getByRole('button', { name: 'Unarchive' }).click();
    await page.getByRole('link', { name: 'Start session' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const deletion = page.getByRole('dialog', { name: 'Delete this agent?' });
    await deletion.getByText(/1 session with its transcript, 0 files/).waitFor();
    await visitor.picture('delete-agent');
    await visitor.leave();
  });

  it('show members what they cannot change, with the reason, also on a phone', async () => {
    const visitor = await demo.visit('max', phone);
    const { page } = visitor;
    await visitor.open('agents');
    await page.getByRole('link', { name: 'scribe' }).click();
    await page.getByText('only its owner and workspace admins can edit it').waitFor();
    await page.getByRole('link', { name: 'Start session' }).waitFor();
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /Archive|Delete|Detach|Grant/ }).count()).toBe(0);
    const wider = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect(wider).toBeLessThanOrEqual(0);
    await visitor.open('catalog/files/edit');
    await page.getByText('Only workspace admins can register, edit or check MCP servers.').waitFor();
    await visitor.open('catalog');
    await page.getByRole('link', { name: 'files' }).waitFor();
    expect(await page.getByRole('link', { name: 'Add server' }).count()).toBe(0);
    await visitor.checkAccessibility();
    await visitor.leave();
  });
});
