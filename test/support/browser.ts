/**
 * A real Chromium in front of a real platform. Hidden errors of a page are collected for each visitor: errors
 * in the console, exceptions, violations of the Content-Security-Policy. `leave` throws when there were any.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Response,
} from 'playwright-core';
import { demoPeople, demoSlug } from '../../bin/start/demo-content.ts';
import { expectAllLooks, lookWithAxe } from './accessibility.ts';
import { createBrowserNetwork } from './browser-network.ts';
import { recordCost } from './costs.ts';
import type { DemoPeople, DemoPerson } from './demo-workspace.ts';
import { untilFound } from './eventually.ts';

/**
 * Chromium without windows, which takes a third less processor time for the same pages, or another
 * installed one; null without any.
 */
export function findChromium(): string | null {
  for (const name of ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim();
    } catch {
      // Try the next one.
    }
  }
  return null;
}

const program = findChromium();
/** `describe` with a Chromium; without one the tests are skipped, and the end of the run names them. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (program === null) {
    describe.skip(name, tests);
  } else {
    expectAllLooks();
    describe(name, tests);
  }
}

/** Playwright's own list, since Chromium uses only the last list that it is given, followed by ours. */
const disabledFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // Pages of the invisible address bar: each window loads them, which costs more than the page under test.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
];

const flags = [
  `--disable-features=${disabledFeatures.join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser in a network of its own, where this machine can make one. */
export async function openBrowser(): Promise<Browser> {
  const installed = program ?? 'chromium';
  const network = await createBrowserNetwork(installed);
  const { executablePath, args } = network ?? { executablePath: installed, args: [] };
  const browser = await chromium.launch({ executablePath, args: [...flags, ...args] });
  browser.once('disconnected', () => network?.close());
  browser.on('context', (context) => context.on('page', countLoads));
  return browser;
}

function countLoads(page: Page): void {
  page.on('domcontentloaded', () => {
    if (page.url() !== 'about:blank') {
      recordCost('pageLoads');
    }
  });
}

export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

export interface Visitor {
  page: Page;
  /** Messages of the console that a test expects, such as that of an answer with an error status. */
  expectInConsole(pattern: RegExp): void;
  /**
   * Shows an address below that of the workspace; with a slash at its beginning, one below `/app`. The
   * application goes there by itself, as after a click on a link; only a window without it loads it.
   */
  open(path: string): Promise<void>;
  /** Loads the page at an address as `open` takes it: for what must not remain from the page before. */
  load(path: string): Promise<void>;
  /**
   * Fails on serious findings of axe on the page as it is, or in a part of it. `looks.json` says
   * which file looks at what.
   */
  checkAccessibility(part?: Locator): Promise<void>;
  /** Writes docs/images/<name>.png when UPDATE_DOCS=1. */
  picture(name: string): Promise<void>;
  /** Closes the window. Throws the hidden errors. */
  leave(): Promise<void>;
}

export interface VisitOptions {
  url: string;
  /** The workspace; without one the demo's. */
  slug?: string;
  people?: DemoPeople;
  /** Signed in as this person, or not at all. */
  as?: DemoPerson;
  context?: BrowserContextOptions;
  /** Set for a test that changes what a window keeps: its clock, its cookies, what it has loaded. */
  isAlone?: boolean;
}

/** Windows that were left as they were found, by what they were opened with. */
const leftWindows = new WeakMap<Browser, Map<string, Window>>();

interface Window {
  page: Page;
  problems: ReturnType<typeof collectProblems>;
}

/**
 * A window without shared cookies: 1280 px wide, light, unless `context` says otherwise. One that a
 * visitor left is used again.
 */
export async function visit(browser: Browser, options: VisitOptions): Promise<Visitor> {
  const { url, slug = demoSlug, as, context = {}, isAlone = as === undefined } = options;
  const windows = leftWindows.get(browser) ?? new Map<string, Window>();
  leftWindows.set(browser, windows);
  const kind = JSON.stringify([url, slug, as, context]);
  const left = isAlone ? undefined : windows.get(kind);
  if (left !== undefined) {
    windows.delete(kind);
  }
  const { page, problems } = left ?? (await openWindow(browser, options));
  const addressOf = (path: string) => (path.startsWith('/') ? `/app${path}` : `/app/${slug}/${path}`);
  const load = async (path: string) => {
    await page.goto(addressOf(path));
  };
  return {
    page,
    expectInConsole: (pattern) => problems.expected.push(pattern),
    open: async (path) => {
      if (!(await goWithin(page, addressOf(path)))) {
        await load(path);
      }
    },
    load,
    checkAccessibility: (part) => lookWithAxe(page, part),
    picture: (name) => takePicture(page, name),
    leave: async () => {
      const isAsFound = !isAlone && problems.expected.length === 0 && (await clear(page));
      const found = problems.found();
      if (isAsFound && found.length === 0 && !windows.has(kind)) {
        windows.set(kind, { page, problems });
      } else {
        await page.context().close();
      }
      if (found.length > 0) {
        throw new Error(`the page had problems:\n${found.join('\n')}`);
      }
    },
  };
}

/**
 * For a test that takes the platform away: what these windows say of that would be
 * held against the next test.
 */
export async function closeLeftWindows(browser: Browser): Promise<void> {
  const windows = leftWindows.get(browser) ?? new Map<string, Window>();
  leftWindows.delete(browser);
  for (const { page } of windows.values()) {
    await page.context().close();
  }
}

async function openWindow(
  browser: Browser,
  { url, people = demoPeople, as, context: settings }: VisitOptions,
): Promise<Window> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...settings,
  });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const problems = collectProblems(page);
  if (as !== undefined) {
    // From the page's own origin, like the sign-in page.
    const answer = await context.request.post('/api/auth/demo-sign-in', {
      data: { email: people[as].email },
    });
    if (!answer.ok()) {
      throw new Error(`the sign-in of ${as} answered ${answer.status()}`);
    }
  }
  return { page, problems };
}

/** Makes a window as one that was just loaded; false where it cannot be. */
async function clear(page: Page): Promise<boolean> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  for (const event of [
    'request',
    'requestfinished',
    'requestfailed',
    'response',
    'dialog',
    'popup',
  ] as const) {
    page.removeAllListeners(event);
  }
  // A page that asks the platform for nothing, so that nothing of the next test concerns it.
  const isRunning = page.context().pages().length === 1 && (await goWithin(page, '/app/_/nothing'));
  if (isRunning) {
    await page.getByRole('heading', { name: 'This workspace was not found' }).waitFor();
    await page.evaluate('sessionStorage.clear(); localStorage.clear()');
  }
  return isRunning;
}

/**
 * Adds to `notes` what was read of a request or an answer. One whose page is closed meanwhile is left out.
 */
export async function note<Value>(notes: Value[], reading: Promise<Value>): Promise<void> {
  try {
    notes.push(await reading);
  } catch (error) {
    if (!String(error).includes('has been closed')) {
      throw error;
    }
  }
}

/** An answer's address with the cookies that it sets. */
export async function cookiesOf(response: Response): Promise<string> {
  return `${response.url()} ${(await response.headerValue('set-cookie')) ?? 'without a cookie'}`;
}

function collectProblems(page: Page) {
  const problems: string[] = [];
  const expected: RegExp[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy|Trusted ?Type/i.test(message.text())) {
      problems.push(`${message.text()} (${message.location().url})`);
    }
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return {
    expected,
    found: () => problems.filter((problem) => !expected.some((pattern) => pattern.test(problem))),
  };
}

/**
 * Has the application show another of its addresses, as its links do; false where it shows nobody's page,
 * or that address already.
 */
function goWithin(page: Page, address: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const isRunning = Symbol.for('wouter_v3') in window && document.querySelector('header') !== null;
    const isThere = location.pathname + location.search === ${JSON.stringify(address)};
    if (isRunning && !isThere) {
      history.pushState(null, '', ${JSON.stringify(address)});
    }
    return isRunning && !isThere;
  })()`);
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env['UPDATE_DOCS'] === '1') {
    const folder = process.env['PICTURES'] ?? 'docs/images';
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`) });
  }
}

/** Waits for the page to be as `look` wants it; `look` is an expression in the page. */
export async function inPage(page: Page, what: string, look: string): Promise<void> {
  await untilFound(what, async () => ((await page.evaluate<boolean>(look)) ? true : null));
}
