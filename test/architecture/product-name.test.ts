/**
 * The product has one name: code reads it from one file, and what cannot read it there says the same
 * (docs/decisions/0069-the-name.md).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { productName, productSlug } from '../../contract/product-name.ts';

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => existsSync(path) && !path.endsWith('.png'));
const text = (path: string) => readFileSync(path, 'utf8');
const naming = (pattern: RegExp) => files.filter((path) => pattern.test(text(path)));

/** What the groups of all matches of the patterns say. */
const said = (path: string, ...patterns: RegExp[]) =>
  patterns.flatMap((pattern) => {
    const found = [...text(path).matchAll(pattern)].map(([, name]) => name);
    return found.length > 0 ? found : [`${path} has no ${pattern}`];
  });

const chart = `deploy/helm/${productSlug}`;

describe('the name of the product', () => {
  it('is in one file of the code', () => {
    const isCode = /\.(tsx?|m?js|mts|c|sh)$/;
    const saying = naming(new RegExp(productName, 'i'));
    expect(saying.filter((path) => isCode.test(path) && !path.startsWith('test/'))).toEqual([
      'contract/product-name.ts',
    ]);
  });

  it.each([
    ['README.md', /^# (.+)$/gm],
    ['docs/decisions/0069-the-name.md', /\bis called \*\*(\w+)\*\*/g],
    ['scripts/start-usage.txt', /^Starts (\w+) on /gm],
    ['web/index.html', /<title>(.+)<\/title>/g],
    ['web/public/icon.svg', /<title>(.+)<\/title>/g],
    [`${chart}/templates/NOTES.txt`, /^(\w+) starts:/gm],
    ['deploy/Dockerfile', /\.image\.(?:title|vendor)="(\w+)/g],
  ])('is what people read in %s', (path, pattern) => {
    expect(new Set(said(path, pattern))).toEqual(new Set([productName]));
  });

  it.each([
    ['docker-compose.yml', [/^name: (.+)$/gm, /^ +(?:image|\w+_IMAGE): ([\w-]+?)(?:-[a-z-]+)?$/gm]],
    [`${chart}/Chart.yaml`, [/^name: (.+)$/gm]],
    [`${chart}/values.schema.json`, [/"title": "Values of (.+)"/g]],
    [`${chart}/values.yaml`, [/ namespace: (\S+)-sessions$/gm, / --namespace (\S+)/g]],
    [`${chart}/templates/_names.tpl`, [/\/name(?:: |=)(\w+)/g, /printf "%s(\w+)%s:%s"/g]],
    ['docs/operations.md', [/helm (?:install|upgrade|uninstall) (\S+)/g, / --namespace (\w+)/g]],
  ])('is what operators type by %s', (path, patterns) => {
    expect(new Set(said(path, ...patterns))).toEqual(new Set([productSlug]));
  });

  it('begins the names of all packages and of what templates of the chart define', () => {
    const packages = files.filter((path) => /(^|\/)package(-lock)?\.json$/.test(path));
    const templates = files.filter((path) => path.startsWith(`${chart}/templates/`));
    expect(packages.length).toBeGreaterThan(10);
    expect(templates.length).toBeGreaterThan(5);
    const ofPackages = packages.flatMap((path) => said(path, /^ {2}"name": "(\w+)/gm));
    const ofTemplates = templates.flatMap((path) => said(path, /(?:define|include) "([^".]+)\./g));
    expect(new Set([...ofPackages, ...ofTemplates])).toEqual(new Set([productSlug]));
  });

  it('has replaced the former one, but in the cache that machines have', () => {
    expect(naming(/agent[-_]platform|Agent platform/i)).toEqual([
      'docs/decisions/0069-the-name.md',
      'scripts/setup/machine-cache.mjs',
      'test/architecture/product-name.test.ts',
    ]);
  });
});
