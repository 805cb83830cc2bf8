/**
 * The tiers of the tests, by what they need. `npm test -- NAME` prepares and runs one. What runs when is in
 * plan.mjs. A test file is in the tier with the longest path that it begins with.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export const tiers = {
  /**
   * Decisions, parsers, rendered workloads and the rules of the code base. Needs npm
   * packages and nothing else.
   */
  unit: ['test/unit/', 'test/architecture/'],
  /** Parts against real Postgres, real Temporal and real MCP servers. */
  services: ['test/integration/', 'test/workflows/', 'test/replay/', 'test/fuzz/', 'test/conformance/'],
  /**
   * The platform as a person starts it, its UI in a browser, sessions in sandboxes,
   * and those who attack them.
   */
  platform: ['test/end-to-end/', 'test/browser/', 'test/hostile/', 'test/integration/runtime/'],
  /** People sign in at authorization servers of others, which take long to download. */
  'sign-in': ['test/end-to-end/sign-in/'],
  /** The agent `claude` against a scripted model. Needs its package, which has a licence of its own. */
  claude: ['test/integration/claude/', 'test/end-to-end/claude'],
  /** Other agents against a scripted model. Needs their packages, a gigabyte, and a container engine. */
  acp: ['test/end-to-end/acp-agents', 'test/integration/container/acp-agents'],
  /** Containers, images, compose and the chart. */
  engine: [
    'test/integration/container/',
    'test/integration/docker/',
    'test/integration/images/',
    'test/integration/deployment/',
    'test/end-to-end/compose.test.ts',
  ],
  /** A Kubernetes that is built from source. */
  cluster: ['test/integration/kubernetes/', 'test/end-to-end/kubernetes.test.ts'],
};

/** The tier of a test file, given by its path from the project's root. Throws for a file that is in none. */
export function tierOf(path) {
  let found = { name: null, length: 0 };
  for (const [name, prefixes] of Object.entries(tiers)) {
    for (const prefix of prefixes) {
      if (path.startsWith(prefix) && prefix.length > found.length) {
        found = { name, length: prefix.length };
      }
    }
  }
  if (found.name === null) {
    throw new Error(`${path} is in no tier; add its folder to test/tiers.mjs`);
  }
  return found.name;
}

/** The test files of a tier, as paths from the project's root. */
export const filesOf = (tier) => testFiles().filter((path) => tierOf(path) === tier);

/** All of them, as paths from the project's root. */
export function testFiles() {
  found ??= readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules'))
    .toSorted();
  return found;
}

/** Reading the folders takes a while, and the tiers are asked for often. */
let found;
