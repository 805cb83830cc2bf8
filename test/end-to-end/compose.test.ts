/**
 * docker-compose.yml from its one command: the demo in a browser, then an approved call with
 * an MCP server's own image.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { signInAtProvider } from '../../bin/start/provider-sign-in.ts';
import type { Session } from '../../contract/session.ts';
import { findChromium, openBrowser, visit } from '../support/browser.ts';
import { type Compose, openCompose } from '../support/compose.ts';
import { runEngine } from '../support/container-engine.ts';
import { describeWithTool } from '../support/deployment-tools.ts';
import { hasDockerRegistry } from '../support/docker-registry.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { platformImages } from '../support/platform-images.ts';
import { startWithBrokenServer, toldOfBrokenServer } from './broken-server.ts';
import { finishedUnder, finishSession, prepareNotes, pushNotesImage, startWaitingSession } from './notes.ts';
import { demoModelKey, expectReportUnderGrant, startWriterModel } from './writer.ts';

const slowMs = 600_000;

const canRun = findChromium() !== null && platformImages !== null && hasDockerRegistry;

(canRun ? describeWithTool('docker-compose') : describe.skip)('docker compose up', () => {
  let compose: Compose;
  let browser: Browser;
  let ada: FrontDoor;
  let max: FrontDoor;
  beforeAll(async () => {
    compose = await openCompose(demoModelKey);
    browser = await openBrowser();
    await compose.run(['up', '--detach']);
    // A person who signs in earlier is in no workspace yet.
    await untilFound('the demo workspace', demoSaid, 300_000);
  }, slowMs);
  afterAll(async () => {
    await browser?.close();
    await compose?.remove();
  });

  const demoSaid = async () => {
    const said = await compose.run(['logs', '--no-log-prefix', 'seed']).catch(() => '');
    return said.includes('The demo') ? said : null;
  };

  /** The platform's logs are removed with it, so a failure that cannot be reproduced includes them. */
  const withLogs = (work: () => Promise<void>) => async () => {
    try {
      await work();
    } catch (error) {
      process.stderr.write(await compose.run(['logs', '--tail', '80', 'api', 'worker']));
      throw error;
    }
  };

  it(
    'starts with a session that waits; Ada signs in and approves it, and it completes',
    withLogs(async () => {
      const visitor = await visit(browser, { url: compose.url });
      const { page } = visitor;
      // Other tests build and copy images on the same engine, which blocks it for a while.
      page.setDefaultTimeout(180_000);
      // Before she has signed in.
      visitor.expectInConsole(/401 .*\/api\/me/);
      await visitor.open('');
      await page.getByText('Sign in with your identity provider').click();
      await page.getByText('For demos only.').waitFor();
      await page.getByRole('button', { name: 'Ada Admin' }).click();
      await page.getByRole('region', { name: 'Needs you' }).getByText('scribe wants to call').waitFor();
      await visitor.open('approvals');
      await page.getByText('Review', { exact: true }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Permission request' });
      await dialog.getByRole('button', { name: 'Approve this call only' }).click();
      await page.getByText('Allowed: this call only').waitFor();
      await visitor.leave();

      ada = await signIn('ada');
      max = await signIn('max');
      const [session] = (await max.ok<{ sessions: Session[] }>('GET', '/api/workspaces/demo/sessions'))
        .sessions;
      expect(await max.ended(session?.id ?? '')).toMatchObject({ status: 'completed' });
    }),
    slowMs,
  );

  const signIn = async (person: string) => {
    const { cookie } = await signInAtProvider(compose.url, person);
    return new FrontDoor(compose.url, cookie);
  };

  it('gives the API its own keys, and runs nothing as root but the worker', async () => {
    const exec = (service: string, code: string) =>
      compose.run(['exec', '-T', service, 'node', '-e', `console.log(${code})`]);
    expect((await exec('api', 'process.getuid()')).trim()).not.toBe('0');
    expect((await exec('identity', 'process.getuid()')).trim()).not.toBe('0');
    expect((await exec('worker', "fs.existsSync('/keys/api')")).trim()).toBe('false');
    const effective = "/^CapEff:\\s*(\\w+)/m.exec(fs.readFileSync('/proc/1/status', 'utf8'))[1]";
    expect((await exec('worker', effective)).trim()).toMatch(/^0+$/);
  });

  it(
    'reports why an MCP server does not work, and shows its output to admins only',
    withLogs(async () => {
      expect(await startWithBrokenServer(ada, max)).toMatchObject(toldOfBrokenServer);
    }),
    slowMs,
  );

  it(
    'runs the agent that asks a model, in its own image and without a network',
    withLogs(async () => {
      const model = await startWriterModel(compose.modelPort, { host: '0.0.0.0' });
      try {
        await expectReportUnderGrant(ada, model);
      } finally {
        await model.close();
      }
    }),
    slowMs,
  );

  it(
    'runs an approved call with an image that was built and pushed, across a restart of API and worker',
    withLogs(async () => {
      const notes = await prepareNotes(ada, await pushNotesImage(compose.registryAddress));
      expect(notes.entry).toMatchObject({ manifest_source: 'image' });
      const { session, request } = await startWaitingSession(max, notes);
      const label = `label=gatepost.internal/session=${session.id}`;
      const ofSession = () =>
        runEngine(['ps', '--all', '--no-trunc', '--filter', label, '--format', '{{.Names}} {{.Image}}']);
      expect(await ofSession()).toContain(`team/notes@${notes.entry.image_digest}`);
      await compose.run(['kill', 'api', 'worker']);
      await compose.run(['up', '--detach']);
      const grantId = await max.approveWhenBack(request);
      expect(await finishSession(max, ada, session.id)).toEqual(finishedUnder(grantId));
      await eventually(async () => expect((await ofSession()).trim()).toBe(''));
    }),
    slowMs,
  );
});
