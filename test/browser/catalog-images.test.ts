/** An image entry through the UI: registered, checked for a newer image, and taken. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, visit } from '../support/browser.ts';
import { image, startTestRegistry, type TestRegistry, tar } from '../support/images.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

const withScopes = (tool_scopes: object) =>
  image({ layers: [tar([{ path: 'mcp-manifest.json', content: JSON.stringify({ tool_scopes }) }])] });

describeInBrowser('image servers in the web UI', () => {
  let registry: TestRegistry;
  let platform: Platform;
  let browser: Browser;

  beforeAll(async () => {
    registry = await startTestRegistry();
    const env = { PRIVATE_REGISTRIES: `http://${registry.host}` };
    [platform, browser] = await Promise.all([startPlatform({ env }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
    await registry?.close();
  });

  it('are registered with what the image says, and take a newer one when an admin has seen what it changes', async () => {
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    visitor.expectInConsole(/422/);
    const { page } = visitor;
    await visitor.open('demo/catalog/_/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('boxed');
    await page.getByRole('radio', { name: 'Container image' }).check();
    await page.getByRole('textbox', { name: 'Image' }).fill(`${registry.host}/team/server:1`);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText(/is not there: .* has no 1/).waitFor();

    registry.push('team/server', '1', withScopes({ write: 'files.write', move: 'files.move' }));
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('/server --stdio').waitFor();
    await page.getByText('files.move').waitFor();

    const check = page.getByRole('button', { name: 'Check for a newer image' });
    await check.click();
    await page.getByText('It is the image that the registry has now').waitFor();
    const newer = withScopes({ write: 'files.write' });
    registry.push('team/server', '1', newer);
    await check.click();
    await page.getByText('move is no longer gated: it runs without asking').waitFor();
    await visitor.checkAccessibility();
    await page.getByRole('button', { name: 'Take the newer image' }).click();
    await page.getByText('Version 2').waitFor();
    await page.getByText(newer.digest).waitFor();
    expect(await page.getByText('files.move').count()).toBe(0);
    await visitor.leave();
  });
});
