/**
 * Remote servers in the web UI: how people sign in, where the registration stands, and
 * what an admin does about it.
 */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { endSignIn } from '../../commands/oauth-connections/connections.ts';
import type { Authorization, Connection } from '../../contract/authorization.ts';
import type { McpServer } from '../../contract/catalog.ts';
import type { McpRegistration } from '../../contract/mcp-registration.ts';
import type { User } from '../../contract/workspace.ts';
import { readOwnConnection } from '../../store/oauth-connections/read.ts';
import { describeInBrowser, inPage, openBrowser, phone, type Visitor, visit } from '../support/browser.ts';
import type { DemoPerson } from '../support/demo-workspace.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import {
  honestIssuer,
  honestResource,
  paths,
  type RemoteServer,
  startRemoteServer,
} from '../support/remote-server.ts';

type Shown = McpServer & { registration: McpRegistration };

describeInBrowser('remote servers in the web UI', () => {
  let server: RemoteServer;
  let other: RemoteServer;
  let platform: Platform;
  let browser: Browser;
  let ada: FrontDoor;

  beforeAll(async () => {
    [server, other] = await Promise.all([startRemoteServer(), startRemoteServer()]);
    const PRIVATE_MCP_HOSTS = [server, other].map(({ host }) => `http://${host}`).join(',');
    [platform, browser] = await Promise.all([
      startPlatform({ usesRunServers: true, withoutDemoSession: true, env: { PRIVATE_MCP_HOSTS } }),
      openBrowser(),
    ]);
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  });
  afterEach(() => {
    server.reset();
    other.reset();
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
    await Promise.all([server, other].map((each) => each?.close()));
  });

  const open = async (as: DemoPerson, address: string, context: BrowserContextOptions = {}) => {
    const visitor = await visit(browser, { url: platform.url, as, context });
    await visitor.open(address);
    return visitor;
  };
  const entryOf = async (name: string) =>
    (await ada.ok<{ mcp_server: Shown }>('GET', `${ada.workspace}/mcp-servers/${name}`)).mcp_server;
  const register = (name: string, more: object = {}) =>
    ada.ok('POST', `${ada.workspace}/mcp-servers`, {
      name,
      shape: { type: 'remote', url: server.url, ...more },
    });
  const settled = (name: string) =>
    untilFound(`the outcome of ${name}`, async () => {
      const { registration } = await entryOf(name);
      return registration.status === 'pending' ? null : registration;
    });
  const retry = async (name: string) => {
    await ada.ok('POST', `${ada.workspace}/mcp-servers/${name}/registration/retry`);
    await settled(name);
  };
  /** As after a refresh that the server refused with this reason. */
  const refuse = async (person: FrontDoor, name: string, reason: string) => {
    const { connections } = await person.ok<{ connections: Connection[] }>('GET', '/api/me/connections');
    const id = connections.find(({ mcp_server }) => mcp_server === name)?.id ?? '';
    const { user } = await person.ok<{ user: User }>('GET', '/api/me');
    await withPlatformDatabase(platform, async (db) => {
      const connection = await readOwnConnection(db, user.id, id);
      expect(connection !== null && (await endSignIn(db, connection, 'refused', { reason }))).toBe(true);
    });
  };
  const moved = () => ({
    [paths.resource]: { json: { ...honestResource(server.origin), authorization_servers: [other.origin] } },
  });
  const expectNoOverflow = async ({ page }: Visitor) =>
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth'),
    ).toBeLessThanOrEqual(0);

  it('are registered in a form, and the page shows the outcome when it comes', async () => {
    // It answers when the page has shown that it waits.
    let answer = () => {};
    server.change({
      [paths.issuer]: (_request, response) => {
        answer = () =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify(honestIssuer(server.origin)));
      },
    });
    const visitor = await open('ada', 'catalog/_/new');
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('notes');
    await page.getByRole('radio', { name: 'Remote URL' }).check();
    expect(await page.getByRole('radio', { name: 'The internet' }).count()).toBe(0);
    expect(await page.getByLabel('Allowed private destinations').count()).toBe(0);
    await page.getByRole('textbox', { name: 'URL' }).fill(server.url);
    await visitor.picture('remote-form');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('heading', { name: 'notes', level: 1 }).waitFor();
    await page.getByText('The platform is asking the server how people sign in to it.').waitFor();
    await untilFound('the question of the platform', async () =>
      server.requests.some(({ line }) => line === paths.issuer) ? true : null,
    );
    answer();
    const facts = page.getByLabel('Sign-in to notes');
    await facts.getByText('as the person who operates the session: each signs in for themselves').waitFor();
    await facts.getByText('registered by the platform').waitFor();
    await facts.getByText('notes.write').waitFor();
    expect(await facts.getByText(server.host, { exact: true }).count()).toBe(1);
    expect(await facts.getByText(/^another host/).count()).toBe(0);
    expect(await page.getByRole('note').filter({ hasText: 'Redirect URI' }).count()).toBe(0);
    await visitor.picture('remote-entry');
    await visitor.leave();
  });

  it('have errors of the form and of the platform at their fields', async () => {
    const visitor = await open('ada', 'catalog/_/new');
    visitor.expectInConsole(/422/);
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('keyed');
    await page.getByRole('radio', { name: 'Remote URL' }).check();
    await page.getByRole('textbox', { name: 'URL' }).fill('http://10.0.0.7/mcp');
    await page.getByRole('radio', { name: 'With a static key' }).check();
    const header = page.getByRole('group', { name: 'Header Authorization' });
    expect(await header.getByRole('textbox', { name: 'Prefix' }).inputValue()).toBe('Bearer ');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await header.getByText('API_TOKEN is not declared by the manifest').waitFor();
    await page.getByRole('button', { name: 'Declare API_TOKEN as a secret' }).click();
    await page.getByRole('cell', { name: 'API_TOKEN' }).waitFor();
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    const refused = page.locator('.mantine-InputWrapper-error').filter({ hasText: 'PRIVATE_MCP_HOSTS' });
    await refused.waitFor();
    expect(await page.getByRole('textbox', { name: 'URL' }).getAttribute('aria-invalid')).toBe('true');
    await visitor.checkAccessibility();
    await visitor.picture('remote-form-errors');
    await page.getByRole('textbox', { name: 'URL' }).fill(server.url);
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    const facts = page.getByLabel('Sign-in to keyed');
    await facts.getByText('with a static key, in Authorization: Bearer {API_TOKEN}').waitFor();
    expect(await entryOf('keyed')).toMatchObject({
      shape: { headers: [{ name: 'Authorization', prefix: 'Bearer ', variable: 'API_TOKEN' }] },
      manifest: { env: { API_TOKEN: { kind: 'secret', required: true } } },
      network: 'internet',
    });
    await page.getByRole('link', { name: 'Edit' }).click();
    expect(await page.getByRole('radio', { name: 'With a static key' }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'As each person, or not at all' }).check();
    await page.getByRole('textbox', { name: 'Client ID' }).fill('by-hand');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await facts.getByText('registered by hand').waitFor();
    await page.getByRole('note').filter({ hasText: 'Redirect URI' }).waitFor();
    await visitor.leave();
  });

  it('that fail say why and what to do, and are tried again', async () => {
    const { registration_endpoint: _, ...byHandOnly } = honestIssuer(server.origin);
    server.change({ [paths.issuer]: { json: byHandOnly } });
    await register('manual');
    const { redirect_uri: uri, reason } = await settled('manual');
    const visitor = await open('ada', 'catalog/manual', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = visitor;
    await page.getByRole('note').filter({ hasText: 'Sessions that use this server cannot start' }).waitFor();
    expect(await page.getByRole('status').filter({ hasText: 'Failed' }).textContent()).toContain(reason);
    const redirect = page.getByRole('note').filter({ hasText: 'Redirect URI' });
    await redirect.getByText(uri, { exact: true }).waitFor();
    await redirect.getByRole('button', { name: 'Copy redirect URI' }).click();
    await inPage(
      page,
      'the copied redirect URI',
      `navigator.clipboard.readText().then((text) => text === '${uri}')`,
    );
    await redirect.getByRole('link', { name: 'Edit manual' }).waitFor();
    await redirect.scrollIntoViewIfNeeded();
    await visitor.picture('remote-failed');

    await visitor.open('catalog');
    const row = page.getByRole('row').filter({ hasText: 'manual' });
    await row.getByLabel(/^Not ready: /).waitFor();
    await visitor.checkAccessibility();
    await visitor.open('catalog/manual');
    server.reset();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Sign-in to manual').getByText('registered by the platform').waitFor();
    await page.getByRole('button', { name: 'Discover again' }).waitFor();
    await visitor.open('audit');
    await page.getByText(`manual: ${server.origin} for ${server.url}`).waitFor();
    await page.getByText(`manual: ${reason}`).waitFor();
    await visitor.leave();
  });

  it('that refuse a person’s sign-in say so to admins, in the server’s words', async () => {
    const tokens = { access_token: 'a-token', refresh_token: 'another', token_type: 'Bearer' };
    server.change({ [paths.token]: { json: tokens } });
    await register('refuser');
    await settled('refuser');
    const max = await FrontDoor.signIn(platform.url, 'max@demo.test');
    const { authorization } = await max.ok<{ authorization: Authorization }>(
      'POST',
      `${max.workspace}/mcp-servers/refuser/connect`,
    );
    const { url } = await max.ok<{ url: string }>('POST', `/api/authorizations/${authorization.id}/begin`);
    const { searchParams } = new URL(url);
    const callback = new URL(searchParams.get('redirect_uri') ?? '');
    const answer = { code: 'the-code', iss: server.origin, state: searchParams.get('state') ?? '' };
    await max.leadsTo(`${callback.pathname}?${new URLSearchParams(answer)}`);
    await refuse(max, 'refuser', 'It refuses them: "invalid_grant", saying "<b>Ended</b> by its operator".');

    const visitor = await open('ada', 'catalog/refuser');
    const { page } = visitor;
    const note = page.getByRole('note').filter({ hasText: 'The server refused the sign-in of one person' });
    await note.getByText('saying "<b>Ended</b> by its operator"', { exact: false }).waitFor();
    await note.getByText('Max Member').waitFor();
    await visitor.checkAccessibility(note);
    await note.scrollIntoViewIfNeeded();
    await visitor.picture('remote-refused');
    await visitor.leave();

    const members = await open('max', 'catalog/refuser', phone);
    await members.page.getByLabel('Sign-in to refuser').waitFor();
    expect(await members.page.getByText('refused the sign-in').count()).toBe(0);
    await members.leave();
  });

  it('with another issuer show both, and take exactly what an admin read', async () => {
    await register('mover');
    await settled('mover');
    server.change(moved());
    await retry('mover');
    const members = await open('max', 'catalog/mover', phone);
    await members.page.getByText('An admin decides whether to accept it.').waitFor();
    expect(await members.page.getByRole('button', { name: /Try again|Accept the new/ }).count()).toBe(0);
    const issuer = members.page
      .getByRole('row', { name: /^Issuer/ })
      .getByRole('cell')
      .last();
    expect((await issuer.boundingBox())?.x).toBeLessThan(300);
    await members.checkAccessibility();
    await expectNoOverflow(members);
    await members.page.getByText('An admin decides whether to accept it.').scrollIntoViewIfNeeded();
    await members.picture('remote-moved-phone');
    await members.leave();

    const visitor = await open('ada', 'catalog/mover');
    visitor.expectInConsole(/409/);
    const { page } = visitor;
    const accept = page.getByRole('button', { name: 'Accept the new issuer', exact: true });
    const compared = page.getByRole('row', { name: /^Issuer/ });
    await compared.waitFor();
    expect(await compared.textContent()).toBe(`Issuer${server.origin}${other.origin}`);
    expect(await compared.locator('strong').count()).toBe(2);
    await visitor.checkAccessibility();
    await accept.scrollIntoViewIfNeeded();
    await visitor.picture('remote-moved');

    // Meanwhile the server moved back.
    server.reset();
    await accept.click();
    const dialog = page.getByRole('dialog', { name: 'Accept the new issuer of mover?' });
    await dialog.getByText(other.origin, { exact: true }).waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('remote-accept');
    await retry('mover');
    await dialog.getByRole('button', { name: 'Accept the new issuer' }).click();
    await page.getByText(/^This is not what waits to be accepted/).waitFor();
    await page.getByText('Ready', { exact: true }).waitFor();
    expect((await entryOf('mover')).registration.parties?.issuer).toBe(server.origin);

    server.change(moved());
    await page.getByRole('button', { name: 'Discover again' }).click();
    await accept.click();
    await dialog.getByRole('button', { name: 'Accept the new issuer' }).click();
    const facts = page.getByLabel('Sign-in to mover');
    await facts.getByText('another host than the server').waitFor();
    await page.getByText('Ready', { exact: true }).waitFor();
    expect((await entryOf('mover')).registration.parties?.issuer).toBe(other.origin);
    await visitor.leave();
  });

  it('are signed in to only where the page says, which is read again when it has changed', async () => {
    const pageAt = (origin: string) =>
      server.change({
        [paths.issuer]: {
          json: { ...honestIssuer(server.origin), authorization_endpoint: `${origin}/authorize` },
        },
      });
    pageAt(other.origin);
    await register('wanderer');
    await settled('wanderer');
    const { authorization } = await ada.ok<{ authorization: Authorization }>(
      'POST',
      `${ada.workspace}/mcp-servers/wanderer/connect`,
    );
    const visitor = await open('ada', `/_/authorizations/${authorization.id}`);
    const { page } = visitor;
    const button = (host: string) => page.getByRole('button', { name: `Sign in at ${host}` });
    await page.getByRole('note').filter({ hasText: 'on another host than its issuer' }).waitFor();
    await visitor.picture('sign-in-other-host');

    // Meanwhile the server has its page elsewhere: the person has not read that.
    pageAt(server.origin);
    await retry('wanderer');
    await button(other.host).click();
    await page.getByRole('alert').filter({ hasText: 'The sign-in is another one by now' }).waitFor();
    await button(server.host).waitFor();
    expect(await page.getByRole('note').count()).toBe(0);
    await visitor.checkAccessibility();

    server.change({ [paths.issuer]: { json: {} } });
    await retry('wanderer');
    await page.reload();
    await page.getByText('Nobody can sign in to wanderer now').waitFor();
    server.reset();
    await retry('wanderer');
    await page.getByRole('button', { name: 'Look again' }).click();
    await button(server.host).waitFor();
    expect([...server.requests, ...other.requests].some(({ line }) => line.includes('/authorize'))).toBe(
      false,
    );
    await visitor.leave();
  });

  it('are offered to workers only, with the reason', async () => {
    await register('workshop');
    await settled('workshop');
    const { id } = await ada.createAgent('conductor', [], {});
    await ada.ok('PATCH', `/api/agents/${id}`, { kind: 'orchestrator' });
    const worker = await ada.createAgent('hand', [], {});
    const visitor = await open('ada', `agents/${id}`);
    const { page } = visitor;
    await page.getByRole('combobox', { name: 'Attach an MCP server' }).click();
    const option = page.getByRole('option', { name: /^workshop: is a remote server, which only agents of/ });
    expect(await option.getAttribute('data-combobox-disabled')).toBe('true');
    await visitor.open(`agents/${id}/servers/workshop`);
    await page.getByRole('note').filter({ hasText: 'This agent cannot attach it' }).waitFor();
    expect(await page.getByRole('button', { name: 'Attach' }).isDisabled()).toBe(true);

    server.change({ [paths.issuer]: { json: {} } });
    await retry('workshop');
    await visitor.load(`agents/${worker.id}/servers/workshop`);
    await page.getByRole('note').filter({ hasText: 'Sessions that use this cannot start yet' }).waitFor();
    await page.getByRole('button', { name: 'Attach' }).click();
    await page.getByLabel(/^Not ready: /).waitFor();
    await visitor.leave();
  });

  it('are imported with their headers, and no literal credential', async () => {
    const visitor = await open('ada', 'catalog/_/import');
    const { page } = visitor;
    const headersOf = (text: string) => ({ url: server.url, headers: { Authorization: text } });
    const mcpServers = { open: headersOf('Bearer ${NOTES_KEY}'), leaky: headersOf('Bearer never-sent') };
    await page.getByRole('textbox', { name: 'Configuration' }).fill(JSON.stringify({ mcpServers }));
    await page.getByRole('region', { name: 'open' }).getByText('Authorization: Bearer {NOTES_KEY}').waitFor();
    await page
      .getByRole('region', { name: 'leaky' })
      .getByText(/its header Authorization looks like a secret/)
      .waitFor();
    await visitor.picture('remote-import');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('button', { name: 'Set NOTES_KEY' }).waitFor();
    expect(await settled('open')).toMatchObject({ status: 'ready', sign_in: 'headers' });
    await visitor.leave();
  });
});
