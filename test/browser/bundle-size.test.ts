/** What the browser loads, as `scripts/build.mjs` built and compressed it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import * as z from 'zod';

const directory = 'dist/web';
const mostBytesOfFirstPage = 130 * 1024;
/** Of the frame with one page in it. */
const mostBytesOfAnyPage = 290 * 1024;

const manifest = z
  .record(
    z.string(),
    z.object({
      file: z.string(),
      css: z.array(z.string()).default([]),
      isEntry: z.boolean().default(false),
      isDynamicEntry: z.boolean().default(false),
      imports: z.array(z.string()).default([]),
    }),
  )
  .parse(JSON.parse(readFileSync(join(directory, '.vite/manifest.json'), 'utf8')));

/** The scripts and styles of these chunks and of all their static imports. */
function filesOf(names: string[], seen = new Set<string>()): Set<string> {
  for (const name of names.filter((candidate) => !seen.has(candidate))) {
    seen.add(name);
    filesOf(manifest[name]?.imports ?? [], seen);
  }
  return new Set([...seen].flatMap((name) => [manifest[name]?.file ?? [], manifest[name]?.css ?? []].flat()));
}

/** As they are sent to a browser. */
const sentBytes = (names: string[]) =>
  [...filesOf(names)].reduce((sum, file) => sum + statSync(join(directory, `${file}.br`)).size, 0);

const entries = Object.keys(manifest).filter((name) => manifest[name]?.isEntry);

it('sends at most 130 KiB of script and styles before the first page, in three files', () => {
  expect(entries).toHaveLength(1);
  expect(sentBytes(entries)).toBeLessThanOrEqual(mostBytesOfFirstPage);
  expect(filesOf(entries).size).toBeLessThanOrEqual(3);
});

it('sends at most 290 KiB with the page of any section', () => {
  const frame = [...entries, 'src/app/signed-in-app.tsx'];
  const pages = Object.keys(manifest).filter(
    (name) => manifest[name]?.isDynamicEntry && name.startsWith('src/pages/'),
  );
  expect(pages.length).toBeGreaterThanOrEqual(9);
  const loads = pages.map((page) => ({ page, bytes: sentBytes([...frame, page]) }));
  const largest = loads.toSorted((a, b) => b.bytes - a.bytes)[0];
  process.stdout.write(
    `first page ${inKiB(sentBytes(entries))} KiB, frame ${inKiB(sentBytes(frame))} KiB, with its largest page ${inKiB(largest?.bytes ?? 0)} KiB (${largest?.page})\n`,
  );
  expect(loads.filter(({ bytes }) => bytes > mostBytesOfAnyPage)).toEqual([]);
});

it('has the styles of each component of the library that it uses', () => {
  const ofLibrary = classesIn(readFileSync('node_modules/@mantine/core/styles.css', 'utf8'));
  const built = (ending: string) =>
    readdirSync(join(directory, '_assets'))
      .filter((name) => name.endsWith(ending))
      .map((name) => readFileSync(join(directory, '_assets', name), 'utf8'))
      .join();
  const styled = classesIn(built('.css'));
  const used = [...classesIn(built('.js'))].filter((name) => ofLibrary.has(name));
  expect(used.length).toBeGreaterThan(50);
  expect(used.filter((name) => !styled.has(name))).toEqual([]);
});

const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));
const inKiB = (bytes: number) => (bytes / 1024).toFixed(0);
