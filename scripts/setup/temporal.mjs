/** Finds or makes the Temporal command line program, which holds the development server and its UI. */
import { accessSync, constants, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onceOnThisMachine } from './lock.mjs';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { run, which } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

const version = '1.5.1';
const downloadLimitMs = 180_000;

/** Writes the program's path to .cache/tools.json. Order: PATH, cache, the SDK's download, a build with Go. */
export async function provideTemporal(root, environment) {
  const cache = machineCache(environment, `temporal-cli-${version}`);
  const cached = join(cache, 'temporal');
  let done;
  let program = which('temporal');
  if (program === null) {
    program = cached;
    done = await onceOnThisMachine(
      cache,
      () => isExecutable(cached),
      () => obtain(root, environment, cache),
    );
  }
  writeWhole(join(root, '.cache/tools.json'), JSON.stringify({ temporal: program }));
  return done;
}

async function obtain(root, environment, cache) {
  mkdirSync(cache, { recursive: true });
  const problems = [];
  const attempts = [
    ['downloaded', () => download(root, environment, cache)],
    ['built with Go', () => buildWithGo(environment, cache)],
  ];
  for (const [done, attempt] of attempts) {
    try {
      await attempt();
      return done;
    } catch (error) {
      problems.push(error.message);
    }
  }
  throw new SetupError(
    `No Temporal server could be had:\n  - ${problems.join('\n  - ')}\n` +
      'Install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on the PATH,\n' +
      'or set TEMPORAL_ADDRESS to a Temporal server that runs already.',
  );
}

/** The SDK downloads the program when it starts a test server; that server is stopped again at once. */
async function download(root, environment, cache) {
  const directory = join(cache, `download-${process.pid}`);
  mkdirSync(directory);
  const code = `
    import { TestWorkflowEnvironment } from '@temporalio/testing';
    const executable = { type: 'cached-download', downloadDir: process.argv[1] };
    const server = await TestWorkflowEnvironment.createLocal({ server: { executable } });
    await server.teardown();`;
  try {
    await withHeartbeat('downloading the Temporal server', () =>
      run(process.execPath, ['--input-type=module', '-e', code, directory], {
        cwd: root,
        env: environment,
        timeout: downloadLimitMs,
      }),
    );
    const name = readdirSync(directory).find((file) => isExecutable(join(directory, file)));
    if (name === undefined) {
      throw new Error('nothing was stored');
    }
    renameSync(join(directory, name), join(cache, 'temporal'));
  } catch (error) {
    const reason = error.message.split('\n').find((line) => /error/i.test(line)) ?? error.message;
    throw new Error(`the SDK could not download it (${reason.trim().slice(0, 200)})`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function buildWithGo(environment, cache) {
  if (which('go') === null) {
    throw new Error('Go is not installed, so it could not be built');
  }
  console.log('  The Temporal server is built with Go. This happens once and takes a few minutes.');
  const directory = join(cache, `build-${process.pid}`);
  try {
    await withHeartbeat('building the Temporal server', () =>
      run('go', ['install', `github.com/temporalio/cli/cmd/temporal@v${version}`], {
        env: { ...environment, GOBIN: directory },
      }),
    );
    renameSync(join(directory, 'temporal'), join(cache, 'temporal'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
