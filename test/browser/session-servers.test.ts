/** What a session's page shows of servers that do not work, to admins and to the others who may read it. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Agent } from '../../contract/agent.ts';
import type { Session } from '../../contract/session.ts';
import { waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, openBrowser, visit } from '../support/browser.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

const noisy =
  "echo 'Error: no key <b>here</b>' >&2; printf 'hidden \\342\\200\\256 character\\n' >&2; exit 3";

/** Answers calls of "garbled" with what is no message, and others not at all. */
const odd = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const serverInfo = { name: 'odd', version: '1' };
  if (method === 'initialize') {
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  } else if (method === 'tools/call' && params.name === 'garbled') {
    console.log('{"jsonrpc":"2.0","id":' + id + ',"result":{"text":"<b>of the server</b>","value":NaN}}');
  } else if (method !== 'tools/call' && id !== undefined) {
    console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
  }
});`;

describeInBrowser('servers that do not work', () => {
  let platform: Platform;
  let browser: Browser;
  let path: string;

  beforeAll(async () => {
    const env = { LIMIT_SESSION_CALLS: '4' };
    [platform, browser] = await Promise.all([
      startPlatform({ env, usesRunServers: true, withoutDemoSession: true }),
      openBrowser(),
    ]);
    const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    const max = await FrontDoor.signIn(platform.url, 'max@demo.test');
    const servers = {
      missing: { type: 'command', command: '/no/such/program', args: [] },
      noisy: { type: 'command', command: 'sh', args: ['-c', noisy] },
    };
    for (const [name, shape] of Object.entries(servers)) {
      await ada.ok('POST', '/api/workspaces/demo/mcp-servers', { name, shape });
    }
    const call = (server: string) => ({
      call: `${server}.anything`,
      arguments: {},
      expect: 'server_unavailable',
    });
    const { agent } = await max.ok<{ agent: Agent }>('POST', '/api/workspaces/demo/agents', {
      name: 'unlucky',
      run: { type: 'builtin', name: 'scripted' },
      instructions: JSON.stringify({ steps: [call('missing'), call('noisy'), waitForever] }),
    });
    for (const name of Object.keys(servers)) {
      await max.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name, env: {} });
    }
    const { session } = await max.ok<{ session: Session }>('POST', '/api/workspaces/demo/sessions', {
      agent_id: agent.id,
      prompt: 'Try.',
    });
    path = `sessions/${session.id}`;
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  it('are named in an alert with what to do, in the transcript and in the panel', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'max' });
    const { page } = visitor;
    await visitor.open(path);
    const alert = page.getByRole('status').filter({ hasText: /not working/ });
    await alert.getByText('missing did not start: its program was not found').waitFor();
    await alert.getByText('Check the command of its catalog entry').first().waitFor();
    const entry = alert.getByRole('link', { name: 'View missing in the catalog' });
    expect(await entry.getAttribute('href')).toBe('/app/demo/catalog/missing');
    await page.getByRole('tab', { name: 'Servers' }).click();
    const panel = page.getByRole('region', { name: 'Servers' });
    await panel.getByText('failed').first().waitFor();
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await transcript.getByText('missing did not start: its program was not found').waitFor();
    expect(await panel.getByRole('button', { name: 'Output' }).count()).toBe(0);
    await visitor.checkAccessibility(panel);
    await visitor.leave();
  });

  it('show admins their output as plain text, not verified', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    await visitor.open(path);
    await page.getByRole('tab', { name: 'Servers' }).click();
    const row = page
      .getByRole('region', { name: 'Servers' })
      .getByRole('listitem')
      .filter({ hasText: 'noisy' });
    await row.getByText('last ended with exit code 3').waitFor();
    await row.getByRole('button', { name: 'Output' }).click();
    const dialog = page.getByRole('dialog', { name: 'Output of noisy' });
    await dialog.getByText('Error: no key <b>here</b>').waitFor();
    await dialog.getByText('not verified').waitFor();
    await dialog.getByText('U+202E').waitFor();
    await visitor.checkAccessibility();
    await visitor.leave();
  });

  it('show calls that wait for their server, and answers that did not reach the agent', async () => {
    const [ada, max] = await Promise.all(
      ['ada', 'max'].map((name) => FrontDoor.signIn(platform.url, `${name}@demo.test`)),
    );
    const shape = { type: 'command', command: 'node', args: ['-e', odd] };
    await ada?.ok('POST', '/api/workspaces/demo/mcp-servers', { name: 'odd', shape });
    const garbled = { call: 'odd.garbled', arguments: {}, expect: 'server_unavailable' };
    // What an agent calls is its own text.
    const silent = { call: 'odd.<b>silent</b>\u202e', arguments: {} };
    const agent = await max?.createAgent('patient', [garbled, garbled, silent], { odd: {} });
    const session = await max?.startSession(agent?.id ?? '');
    const visitor = await visit(browser, { url: platform.url, as: 'max' });
    const { page } = visitor;
    await visitor.open(`sessions/${session?.id}`);
    const open = page.getByRole('region', { name: 'Open calls' });
    const row = open.getByRole('listitem').filter({ hasText: 'odd.<b>silent</b>' });
    await row.getByText('U+202E').waitFor();
    await row.getByText('waiting since').waitFor();
    expect(await open.getByRole('listitem').count()).toBe(1);
    const reason = 'it is not valid JSON (NaN and Infinity are none)';
    await page.getByRole('tab', { name: 'Servers' }).click();
    const servers = page.getByRole('region', { name: 'Servers' });
    await servers.getByText(`2 answers did not reach the agent: ${reason}.`).waitFor();
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await transcript.getByText(`An answer of odd did not reach the agent: ${reason}.`).waitFor();
    expect(await page.getByText('of the server').count()).toBe(0);
    await page.getByRole('tab', { name: 'Details' }).click();
    await visitor.checkAccessibility(open);
    // Its end ends them.
    await max?.ok('POST', `/api/sessions/${session?.id}/terminate`, {});
    await open.waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('are shown beside the counts of calls refused over the limit', async () => {
    const max = await FrontDoor.signIn(platform.url, 'max@demo.test');
    const list = { call: 'files.list_allowed_directories', arguments: {} };
    const write = { call: 'files.write_file', arguments: { path: '/workspace/a', content: 'x' } };
    const beyond = { expect: 'too_many_calls' };
    const agent = await max.createAgent(
      'restless',
      [list, list, list, list, { ...list, ...beyond }, { ...write, ...beyond }, { ...list, ...beyond }],
      { files: {} },
    );
    const session = await max.startSession(agent.id);
    expect(await max.ended(session.id)).toMatchObject({ status: 'completed' });
    const visitor = await visit(browser, { url: platform.url, as: 'max' });
    const { page } = visitor;
    await visitor.open(`sessions/${session.id}`);
    const panel = page.getByRole('region', { name: 'Calls over the limit' });
    const row = (tool: string) => panel.getByRole('listitem').filter({ hasText: tool });
    await row('files.list_allowed_directories').getByText('2 calls').waitFor();
    await row('files.write_file').getByText('1 call').waitFor();
    expect(await panel.getByRole('listitem').count()).toBe(2);
    // A session that kept to its limits has no such panel.
    await visitor.open(path);
    await page
      .getByRole('status')
      .filter({ hasText: /not working/ })
      .waitFor();
    expect(await panel.count()).toBe(0);
    await visitor.leave();
  });
});
