import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sources below `test/`, without those that plant what a rule finds. */
export function testSources(): { path: string; text: string }[] {
  return readdirSync('test', { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).replaceAll('\\', '/') }))
    .filter(
      ({ entry, path }) =>
        entry.isFile() &&
        /(?<!\.d)\.m?[tj]s$/.test(path) &&
        !/node_modules|test\/(?:architecture|mutation)\//.test(path),
    )
    .map(({ path }) => ({ path, text: readFileSync(path, 'utf8') }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}
