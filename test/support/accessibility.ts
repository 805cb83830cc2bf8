/**
 * Looks of axe at the web UI. Each page, dialog and size is looked at once in a run, and so are parts of a
 * page that only some states have: `looks.json` names the test file that does it. A file fails that looks at
 * something else, twice, or not at all.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import * as z from 'zod';
import { recordCost } from './costs.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** For each look the test file that makes it. */
export const looks = z
  .record(z.string(), z.string())
  .parse(JSON.parse(readFileSync(new URL('looks.json', import.meta.url), 'utf8')));

/** What each test file has looked at, and what it should not have. */
const made = new Map<string, { due: Set<string>; others: string[] }>();

const thisFile = () => relative(process.cwd(), expect.getState().testPath ?? '');

/**
 * Fails at the end of the file unless it made exactly its own looks. A run of some of
 * its tests may make fewer.
 */
export function expectAllLooks(): void {
  afterAll(() => {
    const file = thisFile();
    const { due, others } = made.get(file) ?? { due: new Set<string>(), others: [] };
    const isPart = process.argv.some((argument) => /^(-t|--testNamePattern)/.test(argument));
    const missing = Object.keys(looks).filter((look) => looks[look] === file && !due.has(look));
    expect({ others, missing: isPart ? [] : missing }).toEqual({ others: [], missing: [] });
  });
}

interface Finding {
  id: string;
  impact: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

interface Axe {
  run(within: unknown, options: object): Promise<{ violations: Finding[] }>;
}

/** Fails on serious findings on the page, or in a part of it. */
export async function lookWithAxe(page: Page, part?: Locator): Promise<void> {
  const within = part ?? page.locator(':root');
  // A page that is still loaded has no name yet.
  await page.locator('h1, h2').first().waitFor();
  const look = nameOfLook(await page.evaluate<Shown>(shown), part && (await part.evaluate(nameOf)));
  if (!isDue(look)) {
    return;
  }
  recordCost('axeLooks');
  // Through the debugger, which the page's own policy does not concern.
  await page.evaluate(`window.axe === undefined && (() => { ${axeSource} })()`);
  const findings = await within.evaluate(async (element) => {
    const { axe } = globalThis as typeof globalThis & { axe: Axe };
    const { violations } = await axe.run(element, { resultTypes: ['violations'] });
    return violations.map(({ id, impact, help, nodes }) => ({
      ...{ id, impact, help },
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    }));
  });
  const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  if (serious.length > 0) {
    throw new Error(`axe found on ${page.url()}:\n${JSON.stringify(serious, null, 2)}`);
  }
}

/** Notes a look; false for one that is not this file's to make, or made already. */
function isDue(look: string): boolean {
  const file = thisFile();
  const { due, others } = made.get(file) ?? { due: new Set<string>(), others: [] };
  made.set(file, { due, others });
  if (looks[look] === file && !due.has(look)) {
    due.add(look);
    return true;
  }
  const owner = looks[look] ?? 'no file';
  others.push(`${look}: ${owner === file ? 'is made already' : `looks.json gives it to ${owner}`}`);
  return false;
}

/** What a page shows, as its elements say. */
interface Shown {
  path: string;
  isNarrow: boolean;
  isDark: boolean;
  /** The heading in place of the page: of the sign-in, of a page that was not found. */
  instead: string | null;
  /** What lies over the page: dialogs, the open navigation, the banner. */
  over: string[];
}

const shown = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length > 0);
  const headings = all('h1, h2').map((one) => one.textContent.trim());
  const titleOf = (dialog) => document.getElementById(dialog.getAttribute('aria-labelledby'))?.textContent ?? dialog.getAttribute('aria-label') ?? '';
  const isNarrow = innerWidth < 768;
  return {
    path: location.pathname,
    isNarrow,
    isDark: document.documentElement.getAttribute('data-mantine-color-scheme') === 'dark',
    instead: headings[0] === 'Sign in' || all('h1').length === 0 ? headings[0] : null,
    over: [
      ...all('[role=dialog]').map(titleOf),
      ...all('.connection-banner > *').map(() => 'the banner'),
      ...(isNarrow && all('nav[aria-label=Sections]').some((one) => one.getBoundingClientRect().x >= 0) ? ['the navigation'] : []),
    ],
  };
})()`;

/** An element of the page, as far as its name is read. */
interface Named {
  ariaLabel: string | null;
  role: string | null;
  getAttribute(name: string): string | null;
  ownerDocument: { getElementById(id: string): { textContent: string } | null };
}

/** Of a part, as assistive technology names it; its role where it has no name. */
const nameOf = (part: Named): string =>
  part.ariaLabel ??
  part.ownerDocument.getElementById(part.getAttribute('aria-labelledby') ?? '')?.textContent ??
  part.role ??
  'a part without a name';

/** Words of an address that are the same in every workspace; the others are names and ids. */
const fixedWords = new Set([
  '_',
  'new',
  'edit',
  'check',
  'tools',
  'import',
  'gallery',
  'servers',
  'unknown',
  'workspaces',
]);

/** Such as `agents/:id/edit, wide, with New secret`, or `agents/:id: Can start other agents, wide`. */
function nameOfLook({ path, isNarrow, isDark, instead, over }: Shown, part?: string): string {
  const [, workspace = '', section = '', ...rest] = path.replace(/^\/app/, '').split('/');
  const words = [section, ...rest.map((word) => (fixedWords.has(word) ? word : ':id'))];
  const page = [...(workspace === '_' ? ['_'] : []), ...words].join('/') || 'home';
  return [
    `${page}${instead === null ? '' : ` (${instead})`}${part === undefined ? '' : `: ${part}`}`,
    isNarrow ? 'phone' : 'wide',
    ...(isDark ? ['dark'] : []),
    ...over.map((what) => `with ${what}`),
  ].join(', ');
}
