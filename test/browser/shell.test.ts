/** What stands around every page: the sign-in, the navigation, colours, addresses, and how failures show. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, phone, visit } from '../support/browser.ts';
import { untilFound } from '../support/eventually.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

describeInBrowser('the web UI', () => {
  let platform: Platform;
  let browser: Browser;

  beforeAll(async () => {
    [platform, browser] = await Promise.all([startPlatform(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  it('asks who one is, and goes on to the page that was asked for', async () => {
    const visitor = await visit(browser, { url: platform.url });
    visitor.expectInConsole(/401 .*\/api\/me/);
    const { page } = visitor;
    await visitor.open('demo/agents');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('sign-in');
    await page.getByRole('button', { name: 'Ada Admin' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/demo/agents');
    await visitor.leave();
  });

  it('leads from the printed address to the sessions, with what waits in the title', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/demo/sessions');
    await page.getByLabel('1 waiting for you').waitFor();
    await untilFound('the count in the title', async () =>
      (await page.title()) === '(1) Sessions · Agent platform' ? true : null,
    );
    await visitor.checkAccessibility();
    await visitor.leave();
  });

  it('is served under a policy that runs only its own scripts and refuses framing', async () => {
    const answer = await fetch(`${platform.url}/app/demo/sessions`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const nonceOf = (text: string) => /nonce="([^"]+)"/.exec(text)?.[1];
    const [first, second] = [await answer.text(), await (await fetch(`${platform.url}/app/`)).text()];
    expect(policy).toContain(`'nonce-${nonceOf(first)}'`);
    expect(nonceOf(second)).not.toBe(nonceOf(first));
  });

  it('makes no markup from text, whoever asks', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    await visitor.open('demo/sessions');
    await visitor.page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    const outcome = await visitor.page.evaluate<string>(
      `(() => { try { document.body.innerHTML = '<img src=x onerror=alert(1)>'; return 'made'; } catch (error) { return error.name; } })()`,
    );
    expect(outcome).toBe('TypeError');
    await visitor.leave();
  });

  it('changes between light and dark, and keeps the choice', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada', context: { colorScheme: 'dark' } });
    const { page } = visitor;
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
    await visitor.open('demo/sessions');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    expect(await scheme()).toBe('dark');
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Use light colours' }).click();
    expect(await scheme()).toBe('light');
    await page.reload();
    await page.getByRole('button', { name: 'Use dark colours' }).waitFor();
    expect(await scheme()).toBe('light');
    await visitor.leave();
  });

  it('hides from members what only admins may see, and says so at its address', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'max' });
    const { page } = visitor;
    await visitor.open('demo/audit');
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
    const links = page.getByRole('navigation').getByRole('link');
    const labels = (await links.allTextContents()).map((label) => label.replace(/\d+$/, ''));
    expect(labels).toEqual([
      'Sessions',
      'Approvals',
      'Agents',
      'MCP catalog',
      'Secrets',
      'Grants',
      'Members',
    ]);
    await visitor.checkAccessibility();
    await visitor.leave();
  });

  it.each(['other/sessions', 'demo/nothing', '_/nothing'])(
    'says that /app/%s does not exist',
    async (path) => {
      const visitor = await visit(browser, { url: platform.url, as: 'max' });
      await visitor.open(path);
      await visitor.page.getByRole('heading', { name: /does not exist$/ }).waitFor();
      await visitor.checkAccessibility();
      await visitor.leave();
    },
  );

  it('lets one sign in again over the page, and keeps what was typed', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/401/);
    const { page } = visitor;
    await visitor.open('_/workspaces/new');
    await page.getByLabel('Name').fill('Typed before');
    await page.getByLabel('Slug').fill('typed-before');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your sign-in has ended' });
    await dialog.waitFor();
    await visitor.checkAccessibility();
    await dialog.getByRole('button', { name: 'Ada Admin' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/typed-before/sessions');
    await visitor.leave();
  });

  it("shows the API's messages at their fields", async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/422/);
    const { page } = visitor;
    await visitor.open('_/workspaces/new');
    await page.getByLabel('Name').fill('X');
    await page.getByLabel('Slug').fill('Not A Slug');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('must be 1 to 40 lowercase letters, digits or inner hyphens').waitFor();
    await visitor.leave();
  });

  it('says when the platform does not answer, and goes on when it does', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    await visitor.open('demo/sessions');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.route('**/api/**', (route) => route.abort());
    const banner = page.getByText('The platform does not answer.');
    await banner.waitFor();
    // What takes a click is on top: the banner is not behind anything.
    await banner.click({ trial: true });
    await visitor.checkAccessibility();
    await page.unroute('**/api/**');
    await banner.waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('says when the platform is slow, and stops saying so', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/permission-requests/count', async (route) => {
      await answered;
      await route.continue();
    });
    await visitor.open('demo/agents');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    const banner = page.getByText('The platform answers slowly.');
    await banner.waitFor();
    answer();
    await banner.waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('makes room on a phone, and works from the keyboard', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada', context: phone });
    const { page } = visitor;
    await visitor.open('demo/sessions');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the page');
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
