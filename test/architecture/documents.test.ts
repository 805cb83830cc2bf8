/** Tests, attacks, files, folders and sections that documents and comments name exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { limitFields } from '../../config/limits.ts';
import { defaultLimits } from '../support/limits.ts';
import { anchorsOf, brokenLinks, brokenReferences } from './references.ts';

/**
 * A hostile agent's attempts are in files of attempts, and what holds on every runtime is in contracts; every
 * other attack is a test of its own.
 */
const fileOf = (path: string) =>
  path.startsWith('hostile/attempts/') || path.endsWith('-contract')
    ? `test/${path}.ts`
    : `test/${path}.test.ts`;

describe('the list of attacks', () => {
  it('names for each a test that exists, in the file that it names', () => {
    const rows = readFileSync('test/hostile/README.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2)
      .map((line) => line.split('|').map((cell) => cell.trim()));
    expect(rows.length).toBeGreaterThan(25);
    const missing = rows
      .map(([, , , path = '', name = '']) => ({ file: fileOf(path.replaceAll('`', '')), name }))
      .filter(({ file, name }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(name));
    expect(missing).toEqual([]);
  });
});

describe('the README', () => {
  it('names each top-level folder on a separate line, 20 at most', () => {
    const notOurs = new Set(['node_modules', 'dist', 'coverage']);
    const folders = readdirSync('.', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !notOurs.has(entry.name))
      .map(({ name }) => name)
      // A folder that was moved away keeps its packages until they are removed.
      .filter((name) => readdirSync(name).some((inside) => inside !== 'node_modules'));
    const [, list = ''] = /## Folders\n\n```\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? [];
    const named = list.split('\n').flatMap((line) => /^(\S+)\/ +\S/.exec(line)?.[1] ?? []);
    expect(named.toSorted()).toEqual(folders.toSorted());
    expect(folders.length).toBeLessThanOrEqual(20);
  });
});

describe('the architecture page', () => {
  it('walks through files that exist', () => {
    const text = readFileSync('docs/architecture.md', 'utf8');
    const rows = text.split('\n').flatMap((line) => /^\| `([a-z][^`*]*\.ts)` +\|/.exec(line)?.[1] ?? []);
    expect(rows.length).toBeGreaterThan(15);
    // The walk-through of a line names files of the sidecar.
    expect(rows.filter((file) => ![file, `sidecar/${file}`].some((path) => existsSync(path)))).toEqual([]);
  });
});

describe('the structure page', () => {
  it('walks two paths through files that exist, and its figures can be printed again', () => {
    const printed = execFileSync('node', ['scripts/measure-structure.mjs'], { encoding: 'utf8' });
    expect(printed).toMatch(/^\| files from a saved URL to a token in use \| \d+ \|$/m);
    expect(printed).toMatch(/^\| files from `spawn_session` to a running child \| \d+ \|$/m);
  });
});

describe('the hops to the place of a change', () => {
  it('are each named by the page before, and counted', () => {
    const [, section = ''] =
      /## Five changes.*?\n(.*)$/s.exec(readFileSync('docs/architecture.md', 'utf8')) ?? [];
    const routes = section.split('\n').filter((line) => line.includes(' -> '));
    expect(routes).toHaveLength(5);
    for (const route of routes) {
      const pages = [...route.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
      expect(pages[0]).toBe('README.md');
      expect(route).toMatch(new RegExp(`\\| ${pages.length - 1} +\\|$`));
      for (const [index, page] of pages.slice(0, -1).entries()) {
        expect(readFileSync(page, 'utf8')).toContain(pages[index + 1]);
      }
      expect(existsSync(pages.at(-1) ?? '')).toBe(true);
    }
  });
});

/** Of the project, without what was deleted and not committed yet. */
const filesOf = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((path) => existsSync(path))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

describe('references to documents', () => {
  const documents = filesOf('*.md');
  const pages = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]));

  it('in code resolve to existing pages and sections', () => {
    const files = filesOf('*.ts', '*.tsx', '*.mjs', '*.mts', '*.c', '*.sh', '*.yaml', '*.yml').filter(
      ({ path }) => path !== 'test/architecture/documents.test.ts',
    );
    expect(files.length).toBeGreaterThan(1000);
    const broken = files.flatMap(({ path, text }) =>
      brokenReferences(text, pages).map((reference) => `${path}: ${reference}`),
    );
    expect(broken).toEqual([]);
  });

  it('in documents resolve to existing files and sections', () => {
    const broken = documents.flatMap(({ path, text }) =>
      brokenLinks(path, text, { pages, exists: existsSync }).map((link) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('are reported when they do not resolve', () => {
    const code = `
      /** Allowed (docs/grants.md#no-such-rule), see docs/grants.md#holder and docs/no-such-page.md. */
      /** Refused (design 7) or ignored (spec, Errors). */
      startSession(spec, secrets);
    `;
    expect(brokenReferences(code, pages)).toEqual([
      'docs/grants.md#no-such-rule',
      'docs/no-such-page.md',
      '(design 7)',
      '(spec, Errors)',
    ]);
    const markdown =
      '# Here\n[a](#here) [b](#there) [c](grants.md#holder) [d](grants.md#gone) [e](gone.png) [f](https://x.test/#y)';
    const inPages = new Map([...pages, ['docs/here.md', anchorsOf(markdown)]]);
    expect(brokenLinks('docs/here.md', markdown, { pages: inPages, exists: existsSync })).toEqual([
      '#there',
      'grants.md#gone',
      'gone.png',
    ]);
  });
});

/** Numbers of the lines beyond 120 columns; those of tables and blocks of code may be longer. */
const longLines = (markdown: string) =>
  markdown
    .replaceAll(/^( *)```.*?^\1```/gms, (block) => block.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .flatMap((line, index) => (line.length > 120 && !line.startsWith('|') ? [index + 1] : []));

describe('the lines of documents', () => {
  it('end by column 120, but in tables and blocks of code', () => {
    const long = filesOf('*.md').flatMap(({ path, text }) =>
      longLines(text).map((line) => `${path}:${line}`),
    );
    expect(long).toEqual([]);
  });

  it('are reported by their numbers', () => {
    const long = 'x'.repeat(121);
    expect(longLines(`${long}\n| ${long} |\n\`\`\`\n${long}\n\`\`\`\n${long.slice(1)}\n- ${long}`)).toEqual([
      1, 7,
    ]);
  });
});

describe('the settings of limits', () => {
  it('are each named in a document', () => {
    const text = filesOf('docs/*.md')
      .map((page) => page.text)
      .join('\n');
    expect(Object.keys(limitFields).filter((name) => !text.includes(name))).toEqual([]);
  });

  it('are told apart from limits that nobody can set, which no document names as a variable', () => {
    const fixed = Object.keys(defaultLimits).filter((name) => !(name in limitFields));
    expect(fixed).toContain('LIMIT_BODY_BYTES');
    const named = filesOf('docs/*.md').flatMap(({ path, text }) =>
      fixed.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).map((name) => `${path}: ${name}`),
    );
    expect(named).toEqual([]);
  });
});
