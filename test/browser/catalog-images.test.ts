/** An image entry through the UI: registered, checked for a newer image, and taken. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { systemRoutes } from '../../api/system/routes.ts';
import { loadWebFiles } from '../../api/web-files/load-web-files.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { describeInBrowser, openBrowser, visit } from '../support/browser.ts';
import { image, startTestRegistry, type TestRegistry, tar } from '../support/images.ts';
import { refuseOnce } from '../support/refused-changes.ts';

const withScopes = (tool_scopes: object) =>
  image({ layers: [tar([{ path: 'mcp-manifest.json', content: JSON.stringify({ tool_scopes }) }])] });

describeInBrowser('image servers in the web UI', () => {
  let registry: TestRegistry;
  let api: TestApi;
  let browser: Browser;

  beforeAll(async () => {
    registry = await startTestRegistry();
    // The API of a platform that runs sessions in containers; what is tested here starts none.
    const overrides = { PRIVATE_REGISTRIES: `http://${registry.host}`, RUNTIME: 'container' };
    const workflows = { isReachable: async () => true };
    api = await startTestApi(
      overrides,
      (db, config) => systemRoutes({ db, config, workflows }),
      loadWebFiles('dist/web'),
    );
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.stop();
    await registry?.close();
  });

  it('are registered with the manifest of the image, and updated after an admin has reviewed the changes', async () => {
    const { workspace, admin } = await api.workspace();
    const [name = '', value = ''] = admin.cookie.split('=');
    const cookie = { name, value, url: api.url };
    const visitor = await visit(browser, { url: api.url, slug: workspace.slug });
    await visitor.page.context().addCookies([cookie]);
    // This API has no sessions, and no pending requests.
    visitor.expectInConsole(/404|422/);
    const { page } = visitor;
    await visitor.open('catalog/_/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('boxed');
    await page.getByRole('radio', { name: 'Container image' }).check();
    await page.getByRole('textbox', { name: 'Image' }).fill(`${registry.host}/team/server:1`);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText(/is not there: .* has no 1/).waitFor();

    registry.push('team/server', '1', withScopes({ write: 'files.write', move: 'files.move' }));
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('/server --stdio').waitFor();
    await page.getByText('files.move').waitFor();

    await refuseOnce(visitor, /\/image-check$/, 'Check for a newer image');
    const check = page.getByRole('button', { name: 'Check for a newer image' });
    await check.click();
    await page.getByText('The image is up to date').waitFor();
    const newer = withScopes({ write: 'files.write' });
    registry.push('team/server', '1', newer);
    await check.click();
    await page.getByText('move is no longer gated: agents can call it without a grant').waitFor();
    await refuseOnce(visitor, /\/mcp-servers\/boxed$/, 'Update image');
    await page.getByRole('button', { name: 'Update image' }).click();
    await page.getByText('Version 2').waitFor();
    await page.getByText(newer.digest).waitFor();
    expect(await page.getByText('files.move').count()).toBe(0);
    await visitor.leave();
  });
});
