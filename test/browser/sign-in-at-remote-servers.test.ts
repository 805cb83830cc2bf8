/**
 * People sign in to a remote server: for a session that waits, for a call that needs more, and before any
 * session; at a real authorization server.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Agent } from '../../contract/agent.ts';
import type { SessionAuthorization } from '../../contract/authorization.ts';
import type { McpServer } from '../../contract/catalog.ts';
import type { McpRegistration } from '../../contract/mcp-registration.ts';
import { waitForever, waitFor as waitForMessage } from '../support/asking-steps.ts';
import { describeInBrowser, openBrowser, phone, type Visitor, visit } from '../support/browser.ts';
import type { DemoPerson } from '../support/demo-workspace.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

type Shown = McpServer & { registration: McpRegistration };

const steps = [
  { call: 'desk.whoami' },
  waitForMessage('more'),
  {
    call: 'desk.create_ticket',
    arguments: { title: 'Read the report' },
    repeat_on: { code: 'authorization_required', every_seconds: 1, timeout_seconds: 300 },
  },
  waitForever,
];

describeInBrowser('signing in to remote servers', () => {
  let platform: Platform;
  let browser: Browser;
  let ada: FrontDoor;
  let max: FrontDoor;
  let clerk: Agent;
  /** Of the page of the authorization server. */
  let host: string;

  beforeAll(async () => {
    [platform, browser] = await Promise.all([
      startPlatform({ usesRunServers: true, withoutDemoSession: true, withDemoRemoteServer: true }),
      openBrowser(),
    ]);
    [ada, max] = await Promise.all([
      FrontDoor.signIn(platform.url, 'ada@demo.test'),
      FrontDoor.signIn(platform.url, 'max@demo.test'),
    ]);
    // The demo's own server, without tools that need a grant.
    const { shape } = await entryOf('tickets');
    await ada.ok('POST', `${ada.workspace}/mcp-servers`, { name: 'desk', shape });
    const { parties } = await untilFound('the registration of desk', async () => {
      const { registration } = await entryOf('desk');
      return registration.status === 'pending' ? null : registration;
    });
    host = parties?.authorization_host ?? 'no page';
    clerk = await max.createAgent('clerk', steps, { desk: {} });
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const entryOf = async (name: string) =>
    (await ada.ok<{ mcp_server: Shown }>('GET', `${ada.workspace}/mcp-servers/${name}`)).mcp_server;
  const open = async (as: DemoPerson, address: string, context = {}) => {
    const visitor = await visit(browser, { url: platform.url, as, context });
    await visitor.open(address);
    return visitor;
  };
  const waitingOf = (door: FrontDoor, sessionId: string) =>
    untilFound('a sign-in that the session waits for', async () => {
      const path = `/api/sessions/${sessionId}/authorizations`;
      const { authorizations } = await door.ok<{ authorizations: SessionAuthorization[] }>('GET', path);
      return authorizations[0];
    });
  /** Presses a button of the authorization server's page. */
  const decide = async ({ page }: Visitor, decision: 'Allow' | 'Deny') => {
    await page.getByRole('heading', { name: 'Sign in to the demo’s tickets' }).waitFor();
    expect(new URL(page.url()).host).toBe(host);
    if (decision === 'Allow') {
      await page.getByRole('radio', { name: /Max/ }).check();
    }
    await page.getByRole('button', { name: decision }).click();
  };
  const expectNoOverflow = async ({ page }: Visitor) =>
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth'),
    ).toBeLessThanOrEqual(0);

  it('is asked of the operator alone; the session goes on by itself, and asks again when a call needs more', async () => {
    const { id } = await max.startSession(clerk.id);
    const { id: authorizationId } = await waitingOf(max, id);

    const others = await open('ada', `sessions/${id}`);
    await others.page
      .getByRole('status')
      .getByText('clerk waits until Max Member signs in to desk.')
      .waitFor();
    expect(await others.page.getByRole('link', { name: /^sign in/i }).count()).toBe(0);
    others.expectInConsole(/404/);
    await others.open(`/_/authorizations/${authorizationId}`);
    await others.page.getByText('Only the person who has to sign in can open it').waitFor();
    await others.checkAccessibility();
    await others.leave();

    const visitor = await open('max', `sessions/${id}`);
    const { page } = visitor;
    const alert = page.getByRole('status').filter({ hasText: /^clerk (waits until you|asks for more)/ });
    await alert.getByText('clerk waits until you sign in to desk.').waitFor();
    await page.getByLabel('State of the session').getByText('Waiting for sign-in').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Sign in to remote servers' }).waitFor();
    const transcript = page.getByRole('region', { name: 'Transcript' });
    const event = transcript.getByRole('listitem').filter({ hasText: 'desk needs you to sign in' });
    expect(await event.getByRole('link', { name: 'sign in' }).getAttribute('href')).toBe(
      `/app/_/authorizations/${authorizationId}`,
    );
    await visitor.checkAccessibility(alert);
    await visitor.picture('session-sign-in');
    await visitor.open('sessions');
    await page.getByText('1 session is waiting for you to sign in to a remote server').waitFor();
    await page.getByRole('link', { name: 'Open session' }).click();

    await alert.getByRole('link', { name: 'Sign in to desk' }).click();
    await page.getByRole('heading', { name: 'Sign in to desk', level: 1 }).waitFor();
    await page.getByText('uses this server, and acts there as you').waitFor();
    await page.getByLabel('Details of the sign-in').getByText('tickets:read').waitFor();
    await visitor.picture('sign-in');
    await page.getByRole('button', { name: `Sign in at ${host}` }).click();
    await decide(visitor, 'Deny');
    const denied = page.getByRole('alert').filter({ hasText: 'You did not allow tickets:read' });
    await denied.getByRole('link', { name: 'Go to the session' }).waitFor();
    await visitor.picture('sign-in-denied');
    await page.getByRole('button', { name: `Try again at ${host}` }).click();
    await decide(visitor, 'Allow');
    await page.getByRole('status').filter({ hasText: 'You are signed in to desk' }).waitFor();
    await visitor.picture('signed-in');

    // Without a click.
    const called = transcript
      .getByRole('listitem')
      .filter({ hasText: 'desk.whoami' })
      .filter({ hasText: 'done' });
    await called.waitFor();
    expect(await alert.count()).toBe(0);
    await max.ok('POST', `/api/sessions/${id}/messages`, { text: 'more' });
    await alert.getByText('clerk asks for more at desk than you allowed').waitFor();
    await page.getByLabel('State of the session').getByText('Waiting for sign-in').waitFor();
    await visitor.picture('session-step-up');
    await alert.getByRole('link', { name: 'Sign in to desk' }).click();
    await page.getByRole('heading', { name: /^Allow tickets:/, level: 1 }).waitFor();
    const scopes = page.getByLabel('Details of the sign-in');
    await scopes.getByText('new', { exact: true }).waitFor();
    await page.getByText('called a tool of this server that needs more than you have allowed').waitFor();
    await visitor.picture('sign-in-step-up');
    await page.getByRole('button', { name: `Sign in at ${host}` }).click();
    await decide(visitor, 'Allow');
    await page.getByRole('link', { name: 'Go to the session' }).click();
    await transcript
      .getByRole('listitem')
      .filter({ hasText: 'desk.create_ticket' })
      .filter({ hasText: 'done' })
      .waitFor();
    await visitor.leave();
  });

  it('is listed for the person, who disconnects, and connects before any session needs it', async () => {
    const visitor = await open('max', 'catalog/desk');
    const { page } = visitor;
    const own = page.getByRole('group', { name: 'Your connection' });
    await own.getByRole('button', { name: 'Disconnect' }).waitFor();
    await page.getByRole('button', { name: /Max/ }).click();
    await page.getByRole('menuitem', { name: 'Your connections' }).click();
    await page.getByRole('heading', { name: 'Your connections', level: 1 }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'desk' });
    await row.getByText(`http://${host}`).waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('connections');
    const onPhone = await open('max', '/_/connections', { ...phone, colorScheme: 'dark' });
    await onPhone.page.getByRole('row').filter({ hasText: 'desk' }).waitFor();
    await onPhone.checkAccessibility();
    await expectNoOverflow(onPhone);
    await onPhone.picture('connections-phone');
    await onPhone.leave();

    await row.getByRole('button', { name: /^Disconnect from desk/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Disconnect from desk?' });
    await dialog.getByText('Running sessions that you started lose access', { exact: false }).waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('disconnect');
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No connections yet').waitFor();

    await visitor.open('catalog/desk');
    await own.getByText('You are not connected').waitFor();
    await visitor.checkAccessibility(own);
    await own.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('You connect to this server yourself; no session waits for it.').waitFor();
    await page.getByRole('button', { name: `Sign in at ${host}` }).click();
    await decide(visitor, 'Allow');
    await page.getByText('Sessions that you start can use it from now on.').waitFor();
    await page.getByRole('link', { name: 'View the server desk' }).click();
    await own.getByText(/^You connected/).waitFor();
    await own.scrollIntoViewIfNeeded();
    await visitor.picture('entry-connected');
    await visitor.leave();
  });

  it('ends with its session, is begun at one address only, and takes no answer that belongs to none', async () => {
    const agent = await ada.createAgent('ada-clerk', steps, { desk: {} });
    const { id } = await ada.startSession(agent.id);
    const path = `/_/authorizations/${(await waitingOf(ada, id)).id}`;
    const localhost = platform.url.replace('127.0.0.1', 'localhost');
    const visitor = await visit(browser, { url: localhost, as: 'ada', context: phone });
    const { page } = visitor;
    await visitor.open(path);
    await page.getByRole('note').filter({ hasText: 'You opened the platform at another address' }).waitFor();
    expect(await page.getByRole('link', { name: /^Open this page at/ }).getAttribute('href')).toBe(
      `${platform.url}/app${path}`,
    );
    expect(await page.getByRole('button', { name: /^Sign in at/ }).count()).toBe(0);
    await visitor.checkAccessibility();
    await expectNoOverflow(visitor);
    await visitor.picture('sign-in-elsewhere');
    await visitor.leave();

    const here = await open('ada', path, { ...phone, colorScheme: 'dark' });
    await here.page.getByRole('button', { name: `Sign in at ${host}` }).waitFor();
    await here.checkAccessibility();
    await expectNoOverflow(here);
    await here.picture('sign-in-phone');
    await ada.ok('POST', `/api/sessions/${id}/terminate`, {});
    await untilFound('the end of the session', async () => (await ada.session(id)).ended_at);
    await here.open(path);
    await here.page
      .getByRole('status')
      .filter({ hasText: 'Nothing waits for this sign-in any more' })
      .waitFor();

    const { redirect_uri: callback } = (await entryOf('desk')).registration;
    await here.page.goto(`${callback}?state=of-nobody&code=of-nobody`);
    await here.page.getByRole('heading', { name: 'This sign-in could not be completed' }).waitFor();
    await here.checkAccessibility();
    await expectNoOverflow(here);
    await here.picture('sign-in-unknown');
    await here.leave();
  });

  it.each([
    ['ada', 'Ada Admin'],
    ['max', 'Max Member'],
  ] as const)(
    '%s uses the demo’s tickets through the UI alone, as herself or himself',
    async (person, name) => {
      const visitor = await open(person, 'agents');
      const { page } = visitor;
      const signIn = async () => {
        await page.getByRole('link', { name: 'Sign in to tickets' }).first().click();
        await page.getByRole('button', { name: `Sign in at ${host}` }).click();
        await page.getByRole('radio', { name: new RegExp(name) }).check();
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.getByRole('link', { name: 'Go to the session' }).click();
      };
      await page.getByRole('link', { name: 'ticket-clerk' }).click();
      await page.getByRole('link', { name: 'Start session' }).click();
      await page.getByLabel('Prompt').fill('Look at my tickets');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await signIn();
      const transcript = page.getByRole('region', { name: 'Transcript' });
      const called = transcript.getByRole('listitem').filter({ hasText: 'tickets.list_tickets' });
      await called.filter({ hasText: 'done' }).first().waitFor();
      await signIn();
      await page.getByRole('button', { name: 'Approve this call only' }).click();
      const created = transcript.getByRole('listitem').filter({ hasText: 'tickets.create_ticket' });
      await created.filter({ hasText: 'done' }).first().waitFor();
      const { shape } = await entryOf('tickets');
      const calls = await fetch(new URL('/', 'url' in shape ? shape.url : ''));
      expect(await calls.text()).toContain(`<code>create_ticket</code> as <b>${name}</b>`);
      await visitor.leave();
    },
  );
});
