/**
 * A real Chromium in front of a real platform. Hidden errors of a page are collected for each visitor: errors
 * in the console, exceptions, violations of the Content-Security-Policy. `leave` throws when there were any.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Response,
} from 'playwright-core';
import { demoPeople, demoSlug } from '../../bin/start/demo-content.ts';
import { createBrowserNetwork } from './browser-network.ts';
import type { DemoPeople, DemoPerson } from './demo-workspace.ts';
import { untilFound } from './eventually.ts';

/** Chromium without windows, which takes a third less processor time for the same pages, or another installed one; null without any. */
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
export const describeInBrowser: typeof describe | typeof describe.skip =
  program === null ? describe.skip : describe;

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
  return browser;
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
  /** Opens an address below that of the workspace; with a slash at its beginning, one below `/app`. */
  open(path: string): Promise<void>;
  /** Fails on serious findings of axe on the page as it is. */
  checkAccessibility(): Promise<void>;
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
}

/** A separate window without shared cookies: 1280 px wide, light, unless `context` says otherwise. */
export async function visit(browser: Browser, options: VisitOptions): Promise<Visitor> {
  const { url, slug = demoSlug, people = demoPeople, as } = options;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options.context,
  });
  context.setDefaultTimeout(60_000);
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
  return {
    page,
    expectInConsole: (pattern) => problems.expected.push(pattern),
    open: async (path) => {
      await page.goto(path.startsWith('/') ? `/app${path}` : `/app/${slug}/${path}`);
    },
    checkAccessibility: () => checkAccessibility(page),
    picture: (name) => takePicture(page, name),
    leave: async () => {
      const found = await problems.found();
      await context.close();
      if (found.length > 0) {
        throw new Error(`the page had problems:\n${found.join('\n')}`);
      }
    },
  };
}

/** Adds to `notes` what was read of a request or an answer. One whose page is closed meanwhile is left out. */
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
    found: async () => problems.filter((problem) => !expected.some((pattern) => pattern.test(problem))),
  };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  impact: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

async function checkAccessibility(page: Page): Promise<void> {
  // Through the debugger, which the page's own policy does not concern.
  await page.evaluate(axeSource);
  const findings = await page.evaluate<Finding[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, impact, help, nodes }) =>
      ({ id, impact, help, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`,
  );
  const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  if (serious.length > 0) {
    throw new Error(`axe found on ${page.url()}:\n${JSON.stringify(serious, null, 2)}`);
  }
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
