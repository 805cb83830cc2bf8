/**
 * The looks of axe that the browser tests make: none at nothing, and one at least at each page of the web UI.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { looks } from '../../support/accessibility.ts';

/** The pages of the web UI, by the addresses of its routes. */
function pages(): string[] {
  const files = readdirSync('web/src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tsx'),
  );
  const paths = files.flatMap((name) =>
    [...readFileSync(join('web/src', name), 'utf8').matchAll(/<Route path="\/([^"]+)"/g)].map(
      ([, path = '']) => path,
    ),
  );
  return paths
    .filter((path) => path !== ':slug' && path !== ':slug/:section/*?')
    .map((path) => path.replace(/^:slug\//, '').replaceAll(':name', ':id'))
    .flatMap((path) => (path.endsWith('/:id?') ? [path.slice(0, -5), path.slice(0, -1)] : [path]));
}

it('are at every page', () => {
  const seen = new Set(Object.keys(looks).map((look) => look.replace(/( \(|, |: ).*/, '')));
  expect(pages().length).toBeGreaterThan(30);
  expect(pages().filter((page) => !seen.has(page))).toEqual([]);
});

it('are made by test files that look', () => {
  for (const file of new Set(Object.values(looks))) {
    expect(readFileSync(file, 'utf8')).toContain('checkAccessibility(');
  }
});
