/** Many tabs of one browser: one stream for all of them, whatever happens to the tab that holds it. */
import { beforeAll, expect, it } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { say, waitFor, waitForever } from '../support/asking-steps.ts';
import { describeInBrowser } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { testMode } from '../support/mode.ts';

/** More than the six connections that a browser opens to one origin. */
const tabCount = testMode() === 'long' ? 20 : 7;
/** Twenty pages at once take a slow machine minutes. */
const patientMs = 600_000;

describeInBrowser('many tabs of the web UI', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;
  let counters: Record<'one' | 'first' | 'second', Awaited<ReturnType<typeof counter>>>;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
    // Before the tabs: they use about one person's whole rate limit of a minute.
    counters = {
      one: await counter('of-one-session', 40),
      first: await counter('first-of-two', 3),
      second: await counter('second-of-two', 4),
    };
  });

  const counter = async (name: string, count: number) => {
    const numbers = Array.from({ length: count }, (_, index) => `Number ${index + 1} of ${count}`);
    const steps = numbers.flatMap((text) => [say(text), { sleep_seconds: 0.5 }]);
    const agent = await ada.createAgent(name, [waitFor('count'), ...steps, waitForever], {});
    return { numbers, session: await ada.startSession(agent.id) };
  };

  /** A window in which somebody has signed in; closed again whatever happens in it. */
  const inWindow = async (use: (context: BrowserContext) => Promise<void>) => {
    const visitor = await demo.visitAlone('ada');
    const context = visitor.page.context();
    context.setDefaultTimeout(patientMs / 2);
    try {
      await use(context);
    } finally {
      await context.close();
    }
  };

  it(
    'show one session live, send a message immediately, and lose nothing when the tab with the stream is closed',
    async () => {
      const { numbers, session } = counters.one;
      await inWindow(async (context) => {
        const streams = watchStreams(context);
        const tabs = await openTabs(
          context,
          Array.from({ length: tabCount }, () => `${demo.slug}/sessions/${session.id}`),
        );
        await allLive(tabs);
        expect(streams.open().length).toBeLessThanOrEqual(2);
        await eventually(() => expect(streams.open()).toHaveLength(1));

        const last = tabs.at(-1) as Page;
        await last.getByRole('textbox', { name: 'Message to the agent' }).fill('count');
        await last.getByRole('button', { name: 'Send' }).click();
        await Promise.all(tabs.map((tab) => tab.getByText('Number 3 of 40').waitFor()));

        const closed = streams.holder();
        await closed.close();
        const closedAt = Date.now();
        await untilFound('another tab with the stream', async () =>
          streams.open().some(({ page }) => page !== closed) ? true : null,
        );
        const takenOverMs = Date.now() - closedAt;
        process.stdout.write(`another tab took the stream over after ${takenOverMs} ms\n`);
        expect(takenOverMs).toBeLessThan(30_000);
        const left = tabs.filter((tab) => !tab.isClosed());
        await Promise.all(left.map((tab) => tab.getByText('Number 15 of 40').waitFor()));

        const hung = streams.holder();
        await hang(hung);
        const others = left.filter((tab) => tab !== hung);
        await Promise.all(others.map((tab) => tab.getByText('Number 40 of 40').waitFor()));
        for (const tab of others) {
          expect(await tab.getByText(/^Number \d+ of 40$/).allTextContents()).toEqual(numbers);
        }
        // On a slow machine everything has arrived before the tab hangs: then another
        // one takes over only now.
        await untilFound('another tab with the stream', async () =>
          streams.open().some(({ page }) => page !== hung) ? true : null,
        );
        await context.close();
      });
    },
    patientMs,
  );

  it(
    'show different sessions, with a connection to spare for everything else',
    async () => {
      const { first, second } = counters;
      await inWindow(async (context) => {
        const streams = watchStreams(context);
        const paths = Array.from(
          { length: 7 },
          (_, index) => `${demo.slug}/sessions/${(index % 2 === 0 ? first : second).session.id}`,
        );
        const tabs = await openTabs(context, paths);
        await allLive(tabs);
        for (const { session } of [first, second]) {
          await eventually(() => ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'count' }), {
            everyMs: 2_000,
          });
        }
        for (const [index, tab] of tabs.entries()) {
          const { numbers } = index % 2 === 0 ? first : second;
          await tab.getByText(numbers.at(-1) ?? '').waitFor();
          expect(await tab.getByText(/^Number \d+ of \d+$/).allTextContents()).toEqual(numbers);
        }
        await eventually(() => expect(streams.open()).toHaveLength(1));
      });
    },
    patientMs,
  );

  it(
    'end with the sign-in, and keep no input',
    async () => {
      await inWindow(async (context) => {
        const [first, second] = await openTabs(context, [`${demo.slug}/agents`, '_/workspaces/new']);
        const kept = () => second?.evaluate('JSON.stringify(sessionStorage)');
        await second?.getByLabel('Name').fill('Typed');
        await eventually(async () => expect(await kept()).toContain('Typed'));
        await first?.getByRole('button', { name: 'Ada Admin' }).click();
        await first?.getByRole('menuitem', { name: 'Sign out' }).click();
        await first?.getByRole('heading', { name: 'Sign in' }).waitFor();
        await second?.getByRole('heading', { name: 'Sign in' }).waitFor();
        expect(await kept()).not.toContain('Typed');
      });
    },
    patientMs,
  );
});

/** Stops its scripts, as a loop without end would, and takes no processor time from the others. */
async function hang(page: Page): Promise<void> {
  const debugging = await page.context().newCDPSession(page);
  await debugging.send('Debugger.enable');
  const isPaused = new Promise((resolve) => debugging.once('Debugger.paused', resolve));
  await debugging.send('Debugger.pause');
  await isPaused;
}

async function openTabs(context: BrowserContext, paths: string[]): Promise<Page[]> {
  const tabs: Page[] = [];
  for (const path of paths) {
    const tab = await context.newPage();
    await tab.goto(`/app/${path}`);
    tabs.push(tab);
  }
  return tabs;
}

/** Waits until all tabs are live; throws with what the others show. */
async function allLive(tabs: Page[]): Promise<void> {
  const isLive = (tab: Page) => tab.getByText('Live', { exact: true }).waitFor();
  const results = await Promise.allSettled(tabs.map(isLive));
  const late = tabs.filter((_, index) => results[index]?.status === 'rejected');
  const shown = await Promise.all(late.map((tab) => tab.locator('main').textContent()));
  expect(shown).toEqual([]);
}

/** The streams that tabs of this window hold. */
function watchStreams(context: BrowserContext) {
  const open = new Map<unknown, { page: Page }>();
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/me/stream') {
      open.set(request, { page: request.frame().page() });
    }
  });
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
  const ofOpenPages = () => [...open.values()].filter(({ page }) => !page.isClosed());
  return {
    open: ofOpenPages,
    holder(): Page {
      const page = ofOpenPages().at(-1)?.page;
      if (page === undefined) {
        throw new Error('no tab holds a stream');
      }
      return page;
    },
  };
}
