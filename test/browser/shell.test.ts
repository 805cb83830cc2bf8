/** What surrounds every page: the sign-in, the navigation, colours, addresses, and how failures show. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { demoPeople } from '../../bin/start/demo-content.ts';
import { productName } from '../../contract/product-name.ts';
import { closeLeftWindows, describeInBrowser, openBrowser, phone, visit } from '../support/browser.ts';
import { everythingKept } from '../support/browser-storage.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

describeInBrowser('the web UI', () => {
  let platform: Platform;
  let browser: Browser;

  beforeAll(async () => {
    [platform, browser] = await Promise.all([startPlatform({ usesRunServers: true }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  it('asks for a sign-in, then opens the requested page', async () => {
    const visitor = await visit(browser, { url: platform.url });
    visitor.expectInConsole(/401 .*\/api\/me/);
    const { page } = visitor;
    await visitor.open('agents');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('main').getByText(productName).waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('sign-in');
    await page.getByRole('button', { name: 'Ada Admin' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.getByRole('banner').getByText(productName).waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/demo/agents');
    await visitor.leave();
  });

  it('leads from the printed address home, with the waiting requests in the title', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    await page.goto('/');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/demo/home');
    await page.getByLabel('1 waiting for you').waitFor();
    await untilFound('the count in the title', async () =>
      (await page.title()) === '(1) Home · Gatepost' ? true : null,
    );
    await visitor.leave();
  });

  it('is served under a policy that runs only its own scripts and refuses framing', async () => {
    const answer = await fetch(`${platform.url}/app/demo/sessions`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const nonceOf = (text: string) => /nonce="([^"]+)"/.exec(text)?.[1];
    const [first, second] = [await answer.text(), await (await fetch(`${platform.url}/app/`)).text()];
    expect(policy).toContain(`'nonce-${nonceOf(first)}'`);
    expect(nonceOf(second)).not.toBe(nonceOf(first));
    // The page's one inline script, by its hash.
    const inline = [...first.matchAll(/<script(?![^>]*src=)[^>]*>(.*?)<\/script>/gs)].map(
      ([, text = '']) => text,
    );
    expect(inline).toHaveLength(1);
    const hash = createHash('sha256').update(inline.join()).digest('base64');
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  });

  it('never turns text into markup', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    await visitor.open('sessions');
    await visitor.page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    const outcome = await visitor.page.evaluate<string>(
      `(() => { try { document.body.innerHTML = '<img src=x onerror=alert(1)>'; return 'made'; } catch (error) { return error.name; } })()`,
    );
    expect(outcome).toBe('TypeError');
    await visitor.leave();
  });

  it('switches between light and dark mode, and keeps the choice', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada', context: { colorScheme: 'dark' } });
    const { page } = visitor;
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
    await visitor.open('sessions');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    expect(await scheme()).toBe('dark');
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Switch to light mode' }).click();
    expect(await scheme()).toBe('light');
    await page.reload();
    await page.getByRole('button', { name: 'Switch to dark mode' }).waitFor();
    expect(await scheme()).toBe('light');
    await visitor.leave();
  });

  it('hides from members what only admins may see, and says so at its address', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'max' });
    const { page } = visitor;
    await visitor.open('audit');
    await page.getByRole('heading', { name: 'You do not have access' }).waitFor();
    const links = page.getByRole('navigation').getByRole('link');
    const labels = (await links.allTextContents()).map((label) => label.replace(/\d+$/, ''));
    expect(labels).toEqual([
      'Home',
      'Sessions',
      'Approvals',
      'Schedules',
      'Previews',
      'Agents',
      'MCP servers',
      'Secrets',
      'Shared data',
      'Insights',
      'Grants',
      'Members',
    ]);
    await visitor.checkAccessibility();
    await visitor.leave();
  });

  it.each(['other/sessions', 'demo/nothing', '_/nothing'])(
    'says that /app/%s was not found',
    async (path) => {
      const visitor = await visit(browser, { url: platform.url, as: 'max' });
      await visitor.open(`/${path}`);
      await visitor.page.getByRole('heading', { name: /was not found$/ }).waitFor();
      await visitor.checkAccessibility();
      await visitor.leave();
    },
  );

  it('signs in again over the page, and keeps the input', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/401/);
    const { page } = visitor;
    await visitor.open('/_/workspaces/new');
    await page.getByLabel('Name').fill('Typed before');
    await page.getByLabel('Slug').fill('typed-before');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' });
    await dialog.waitFor();
    await visitor.checkAccessibility();
    await dialog.getByRole('button', { name: 'Ada Admin' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Welcome to Typed before', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/typed-before/home');
    await visitor.leave();
  });

  it("shows the API's messages at their fields", async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/422/);
    const { page } = visitor;
    await visitor.open('/_/workspaces/new');
    await page.getByLabel('Name').fill('X');
    await page.getByLabel('Slug').fill('Not A Slug');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('must be 1 to 40 lowercase letters, digits or inner hyphens').waitFor();
    await visitor.leave();
  });

  it('says when the platform is unreachable, and recovers', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    await visitor.open('sessions');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.route('**/api/**', (route) => route.abort());
    // Nothing is requested while nothing happens: the next page is the first to notice.
    await page.getByRole('link', { name: 'Grants' }).click();
    const banner = page.getByText('The platform is unreachable.');
    await banner.waitFor();
    // What takes a click is on top: the banner is not behind anything.
    await banner.click({ trial: true });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await visitor.checkAccessibility();
    await page.unroute('**/api/**');
    await banner.waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('waits for a page that it cannot load, and refreshes every page when the platform is back', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/ERR_|Failed to (load resource|fetch)/);
    const { page } = visitor;
    await visitor.open('sessions');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.getByText('The platform is unreachable.').waitFor();
    expect(await page.getByText('This page crashed').count()).toBe(0);
    await visitor.picture('platform-away');
    await page.context().setOffline(false);
    const backAt = Date.now();
    await page.getByRole('heading', { name: 'MCP servers', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'files' }).first().waitFor();
    process.stdout.write(`the page was there ${Date.now() - backAt} ms after the platform was back\n`);
    await page.getByText('The platform is unreachable.').waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('refetches every list and page that failed while a proxy had no platform behind it', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/502|Failed to (load resource|fetch)/);
    const { page } = visitor;
    const ofProxy = (pattern: string) =>
      page.route(pattern, (route) =>
        route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
      );
    const banner = page.getByText('Nothing you typed is lost');
    // A page that reads no agents: the list of agents is not cached yet.
    await visitor.open('secrets');
    await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
    await ofProxy('**/api/**');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: /could not be loaded$/ }).waitFor();
    await banner.waitFor();
    await page.unrouteAll();
    await page.getByRole('link', { name: 'scribe' }).waitFor();
    await banner.waitFor({ state: 'detached' });

    await ofProxy('**/*');
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await banner.waitFor();
    expect(await page.getByText('This page crashed').count()).toBe(0);
    await page.unrouteAll();
    await page.getByRole('link', { name: 'files' }).first().waitFor();
    await banner.waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('closes when somebody else signs in with the same browser', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/ERR_|Failed to load resource/);
    const { page } = visitor;
    await visitor.open('agents');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    const context = page.context();
    await context.request.post('/api/auth/demo-sign-in', { data: { email: demoPeople.max.email } });
    const other = await context.newPage();
    await other.goto('/app/demo/agents');
    await other.getByRole('button', { name: 'Max Member' }).waitFor();
    // The first page learns it when its stream reconnects, as after a restart of the API.
    await closeLeftWindows(browser);
    await platform.kill('api', '');
    await page.getByRole('dialog', { name: 'Someone else signed in' }).waitFor();
    expect(await page.getByText('Ada Admin').count()).toBe(0);
    // While the platform is unreachable, the page stays: the browser's own error page would never go away.
    await page.route('**/*', (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Continue as the signed-in user' }).click();
    await page.getByText('The platform is unreachable.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Max Member' }).waitFor();
    await visitor.leave();
  });

  it('offers a reload after an upgrade, and keeps the input', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/404|Failed to fetch|PageNotLoaded/);
    const { page } = visitor;
    await visitor.open('sessions/new');
    await page.getByLabel('Prompt').fill('Half a prompt');
    // What an upgraded platform answers: another entry, and nothing under the old names.
    await page.route('**/app/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<script type="module" src="/app/_assets/index-new.js"></script>',
      }),
    );
    await page.route('**/app/_assets/**', (route) => route.fulfill({ status: 404, body: 'not found' }));
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByRole('heading', { name: 'A new version is available' }).waitFor();
    expect(await page.getByText('This page crashed').count()).toBe(0);
    await visitor.checkAccessibility();
    await visitor.picture('upgraded');
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload', exact: true }).click();
    await page.getByRole('heading', { name: 'Audit trail', level: 1 }).waitFor();
    await visitor.open('sessions/new');
    await page.getByText('Your draft was restored.').waitFor();
    expect(await page.getByLabel('Prompt').inputValue()).toBe('Half a prompt');
    await visitor.leave();
  });

  it('keeps the input across navigation, but no value that looks secret', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    const secrets = ['ghp_0123456789abcdefghij0123456789abcdef', 'hunter2-of-a-variable'];
    await visitor.open('agents/new');
    await page.getByRole('textbox', { name: 'Name' }).first().fill('drafted');
    await page.getByText('JSON', { exact: true }).click();
    await page
      .getByRole('textbox', { name: 'Steps as JSON' })
      .fill(`{ "steps": [{ "call": "x.y", "arguments": { "a": "${secrets[0]}" } }] }`);
    const environment = page.getByRole('region', { name: 'Environment' });
    await environment.getByRole('button', { name: 'Add variable' }).click();
    await environment.getByRole('textbox', { name: 'Variable' }).fill('API_TOKEN');
    await environment.getByRole('textbox', { name: 'Value' }).fill(secrets[1] ?? '');
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('link', { name: 'Start session' }).click();
    await page.getByLabel('Prompt').fill(`Sign in with ${secrets[0]}, please.`);
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('DRAFTED');
    await page
      .getByRole('dialog')
      .getByLabel('Value')
      .fill(secrets[1] ?? '');
    const kept = await everythingKept(page);
    expect(kept).toContain('drafted');
    expect(kept).toContain('please.');
    for (const secret of secrets) {
      expect(kept).not.toContain(secret);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('link', { name: 'New agent' }).click();
    await page.getByText('Your draft was restored.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).first().inputValue()).toBe('drafted');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    expect(await page.getByRole('textbox', { name: 'Name' }).first().inputValue()).toBe('');
    await visitor.leave();
  });

  it('forgets what was sent, and starts the agent that the address names', async () => {
    const ada = await FrontDoor.signIn(platform.url, demoPeople.ada.email);
    const [first, second] = [
      await ada.createAgent('first-one', [], {}),
      await ada.createAgent('second-one', [], {}),
    ];
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    const agent = page.getByRole('combobox', { name: 'Agent' });
    await visitor.open(`sessions/new?agent=${first.id}`);
    await page.getByLabel('Prompt').fill('Half a prompt');
    await visitor.load(`sessions/new?agent=${second.id}`);
    await page.getByText('Your draft was restored.').waitFor();
    expect(await agent.inputValue()).toContain('second-one');
    await page.getByLabel('Prompt').press('Control+Enter');
    await page.getByRole('heading', { name: 'Half a prompt' }).waitFor();
    await visitor.open('sessions/new');
    await agent.waitFor();
    expect(await agent.inputValue()).toBe('');
    expect(await page.getByLabel('Prompt').inputValue()).toBe('');
    await visitor.leave();
  });

  it('shows that the platform is slow only while it is', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada', isAlone: true });
    const { page } = visitor;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/permission-requests/count', async (route) => {
      await answered;
      await route.continue();
    });
    await visitor.open('agents');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    const banner = page.getByText('The platform is responding slowly.');
    await banner.waitFor();
    answer();
    await banner.waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('fits a phone, and works from the keyboard', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada', context: phone });
    const { page } = visitor;
    await visitor.open('sessions');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to main content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await visitor.checkAccessibility();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Open navigation' }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    const wider = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect(wider).toBeLessThanOrEqual(0);
    await visitor.leave();
  });
});
