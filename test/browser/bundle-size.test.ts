/** What the browser loads before it shows the first page, as `scripts/build.mjs` built it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';
import * as z from 'zod';

const directory = 'dist/web';
const budgetBytes = 300 * 1024;

const manifest = z
  .record(
    z.string(),
    z.object({
      file: z.string(),
      isEntry: z.boolean().default(false),
      imports: z.array(z.string()).default([]),
      dynamicImports: z.array(z.string()).default([]),
    }),
  )
  .parse(JSON.parse(readFileSync(join(directory, '.vite/manifest.json'), 'utf8')));

/** The files of these chunks and of all their static imports. */
function filesOf(names: string[], seen = new Set<string>()): Set<string> {
  for (const name of names.filter((candidate) => !seen.has(candidate))) {
    seen.add(name);
    filesOf(manifest[name]?.imports ?? [], seen);
  }
  return new Set([...seen].flatMap((name) => manifest[name]?.file ?? []));
}

const gzipBytes = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(directory, file))).length, 0);

const entries = Object.keys(manifest).filter((name) => manifest[name]?.isEntry);

it('loads less than 300 KB of compressed script before any page, with the page of any section', () => {
  const [entry] = entries;
  expect(entries).toHaveLength(1);
  const sections = entry === undefined ? [] : (manifest[entry]?.dynamicImports ?? []);
  expect(sections.length).toBeGreaterThanOrEqual(9);
  const shell = gzipBytes(filesOf(entries));
  const loads = sections.map((section) => ({ section, bytes: gzipBytes(filesOf([...entries, section])) }));
  const largest = loads.toSorted((a, b) => b.bytes - a.bytes)[0];
  process.stdout.write(
    `first load ${Math.round(shell / 1024)} KB, with its largest section ${Math.round((largest?.bytes ?? 0) / 1024)} KB (${largest?.section}) of ${budgetBytes / 1024} KB\n`,
  );
  expect(loads.filter(({ bytes }) => bytes > budgetBytes)).toEqual([]);
});
