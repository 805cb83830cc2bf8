/** What each file of a run cost, for the end of `npm test` (scripts/test.mjs). */
import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { writeWhole } from '../../scripts/setup/write-whole.mjs';

export const reportFileOf = (root) => join(root, '.cache/test-report.json');

export function keepReport(root, entries) {
  const file = reportFileOf(root);
  mkdirSync(dirname(file), { recursive: true });
  const report = entries.map((entry) => ({ ...entry, path: relative(root, entry.path) }));
  writeWhole(file, JSON.stringify(report));
}
