/**
 * Test files that CI runs when something they depend on changed since they last passed: those that try what
 * the set-up builds or downloads, which take long and change seldom. Without such knowledge they run.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../setup/run.mjs';
import { importsOf } from './imports.mjs';
import { readNote, writeNote } from './machine-notes.mjs';

/** All that a sign-in at a remote server passes through, and its tests. */
const signIn = [
  'bin/remote-bridge.ts',
  'lib/oauth',
  'lib/outbound',
  'relay/remote',
  ...['authorizations', 'internal', 'mcp-registrations'].map((area) => `api/${area}`),
  ...['authorizations', 'mcp-registrations', 'oauth-connections'].map((area) => `activities/${area}`),
  ...['authorization', 'mcp-registration'].map((flow) => `workflows/${flow}-workflow.ts`),
  ...['commands', 'store'].flatMap((layer) =>
    ['mcp-registrations', 'oauth-authorizations', 'oauth-clients', 'oauth-connections'].map(
      (area) => `${layer}/${area}`,
    ),
  ),
  ...['integration', 'unit'].flatMap((kind) => [`test/${kind}/lib/oauth`, `test/${kind}/relay/remote`]),
  'scripts/setup/sign-in-servers.mjs',
  'test/end-to-end/sign-in',
];
/**
 * By the beginning of their paths, what they depend on beside what they import. `.cache/images.json` names
 * images by their sources.
 */
const images = ['.cache/images.json', 'deploy', 'scripts/setup', 'package-lock.json'];
export const dependencies = {
  'test/end-to-end/sign-in/': signIn,
  'test/integration/images/': images,
  'test/integration/docker/': [...images, 'docker-compose.yml', '.cache/container-engine.json'],
  'test/integration/container/hostile-images.test.ts': images,
  'test/integration/container/images.test.ts': images,
  'test/integration/kubernetes/hostile-images.test.ts': images,
  'test/integration/kubernetes/image-pull-secrets.test.ts': images,
  'test/integration/deployment/make-keys.test.ts': ['scripts', 'deploy'],
};

const noteName = 'passed-tests';

/** Those of `files` that are not due. */
export async function filesNotDue(root, files, environment) {
  const stamps = readNote(environment, noteName) ?? {};
  const keys = await keysOf(root, files);
  return [...keys].filter(([file, key]) => stamps[file] === key).map(([file]) => file);
}

/** After a run in CI of a clean tree: remembers the state in which these files passed. */
export async function stampPassed(root, passed, environment) {
  if (!environment.CI || (await run('git', ['status', '--porcelain'], { cwd: root })) !== '') {
    return;
  }
  const keys = await keysOf(root, passed);
  writeNote(environment, noteName, { ...readNote(environment, noteName), ...Object.fromEntries(keys) });
}

/** By file, a hash of all it depends on. Files without listed dependencies are always due and left out. */
export async function keysOf(root, files, read = readFileSync) {
  const listed = files.filter((file) => dependenciesOf(file) !== undefined);
  if (listed.length === 0) {
    return new Map();
  }
  const imports = await importsOf(root, listed);
  return new Map(
    listed.map((file) => {
      const paths = [...imports.get(file), ...dependenciesOf(file).flatMap((path) => filesIn(root, path))];
      const hash = createHash('sha256');
      for (const path of [...new Set(paths)].toSorted()) {
        hash.update(`${path}\0`).update(read(join(root, path)));
      }
      return [file, hash.digest('hex')];
    }),
  );
}

const dependenciesOf = (file) =>
  Object.entries(dependencies).find(([beginning]) => file.startsWith(beginning))?.[1];

/** A file itself, or all files in a folder but for installed packages. */
export function filesIn(root, path) {
  const whole = join(root, path);
  if (!existsSync(whole)) {
    return [];
  }
  if (statSync(whole).isFile()) {
    return [path];
  }
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}
