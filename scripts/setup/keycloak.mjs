/** Keycloak, which tests sign people in with. Its distribution is a zip, which Maven downloads. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { onceOnThisMachine } from './lock.mjs';
import { machineCache } from './machine-cache.mjs';
import { withHeartbeat } from './progress.mjs';
import { run, which } from './run.mjs';

const version = '26.3.5';
const sha256 = '95756bdfd7540fafaf28874a8eb8d0d4c55977344a3b7821e9bd3a22bfb2b6a6';
/** What is chosen when it is built, so that each start is without: a database that ends with its process. */
const built = ['--db=dev-mem'];
const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:2.8';
const downloadLimitMs = 900_000;

/** Returns its directory, and what was done. Throws where it cannot be had. */
export async function provideKeycloak(environment) {
  const directory = machineCache(environment, `keycloak-${version}-${built.join('')}`);
  const done = await onceOnThisMachine(
    directory,
    () => existsSync(directory),
    () => withHeartbeat('downloading and building Keycloak', () => obtain(directory)),
  );
  return { directory, done };
}

async function obtain(directory) {
  const missing = ['mvn', 'java', 'python3'].filter((program) => which(program) === null);
  if (missing.length > 0) {
    throw new Error(`${missing.join(', ')} not installed, which Keycloak needs`);
  }
  const work = `${directory}-${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    const zip = await download(work);
    await run('python3', ['-m', 'zipfile', '-e', zip, work]);
    const home = join(work, `keycloak-${version}`);
    await run('bash', [join(home, 'bin/kc.sh'), 'build', ...built]);
    renameSync(home, directory);
    return 'downloaded and built';
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(work) {
  const options = [
    `-Dartifact=org.keycloak:keycloak-quarkus-dist:${version}:zip`,
    `-DoutputDirectory=${work}`,
    // Nothing stays in the repository of whoever runs this.
    `-Dmaven.repo.local=${join(work, 'repository')}`,
  ];
  await run('mvn', ['--batch-mode', '--quiet', `${plugin}:copy`, ...options], {
    cwd: work,
    timeout: downloadLimitMs,
  });
  const zip = join(work, `keycloak-quarkus-dist-${version}.zip`);
  const hash = createHash('sha256');
  await pipeline(createReadStream(zip), hash);
  const found = hash.digest('hex');
  if (found !== sha256) {
    throw new Error(`the zip of Keycloak ${version} has the SHA-256 ${found}, where ${sha256} is expected`);
  }
  return zip;
}
