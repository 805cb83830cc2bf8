/**
 * Runs the package manager so that no code of a package runs: npm without scripts, uv with wheels alone. It
 * has the registry's credential and the one way out (docs/decisions/0062).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abandonAfter } from '../../../../lib/timing/time-limit.ts';
import { packagesInside } from '../tree-stream.ts';
import { egressPort, type FillOrder } from './order.ts';

/** Where uv is in the sandbox, wherever the machine has it. */
export const uvInside = '/opt/uv/uv';
/** The Python environment with the packages of a `uvx` entry. */
export const pythonEnvironment = 'venv';

/** Child processes of the package manager may hold its output open. */
const lastOutputMs = 500;
const keptCharacters = 4096;

const npmProgram = 'npm';

interface Step {
  program: string;
  args: string[];
  /** Beside those of every program in the sandbox. */
  variables: Record<string, string>;
  mayFail?: boolean;
}

/**
 * Each step is made when those before have ended. Resolves to the exit code of the first step that failed, or
 * 0; -1 when there is no such program or it was killed.
 */
export async function install(
  order: FillOrder,
  env: Record<string, string | undefined>,
  ofManager: Record<string, string>,
): Promise<number> {
  const steps = order.manager === 'npm' ? npm(order, ofManager) : uv(order, ofManager);
  for (const step of steps) {
    const exitCode = await runWithRetries(step, env);
    if (exitCode !== 0 && step.mayFail !== true) {
      return exitCode;
    }
  }
  return 0;
}

const attempts = 3;
/** npm itself tries again what was not answered, but not a file whose connection broke off in the middle. */
const brokeOff = /\bnpm (?:error|ERR!) code (?:ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE|ERR_SOCKET_TIMEOUT)\b/;
const notAnswered = /\brequest to \S+ failed\b/;

/**
 * What was received before is in npm's own cache. Nothing else is repeated: once there are packages, uv would
 * start the Python of their environment, with the credential.
 */
async function runWithRetries(step: Step, env: Record<string, string | undefined>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const { exitCode, written } = await run(step, env);
    const isBroken = step.program === npmProgram && brokeOff.test(written) && !notAnswered.test(written);
    if (exitCode === 0 || attempt === attempts || !isBroken) {
      return exitCode;
    }
  }
}

async function run(
  { program, args, variables }: Step,
  env: Record<string, string | undefined>,
): Promise<{ exitCode: number; written: string }> {
  let written = '';
  // Separate pipes: those of this process are non-blocking, and uv exits at the first write that would block.
  const child = spawn(program, args, { env: { ...env, ...variables }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stderr, { end: false });
  child.stderr.on('data', (piece: Buffer) => {
    written = (written + String(piece)).slice(-keptCharacters);
  });
  const closed = once(child, 'close').catch(() => undefined);
  try {
    const [exitCode] = await once(child, 'exit');
    await abandonAfter(lastOutputMs, closed, () => undefined);
    return { exitCode: typeof exitCode === 'number' ? exitCode : -1, written };
  } catch (error) {
    process.stderr.write(`${program} could not be started: ${String(error)}\n`);
    return { exitCode: -1, written };
  }
}

/**
 * It retries as it does by itself, only sooner. Dependencies that are a repository, an address or a path are
 * refused: what they would fetch is no package of the registry. Versions of npm without these settings find
 * neither git nor a way to another host.
 */
function npm({ packages }: FillOrder, ofManager: Record<string, string>): Step[] {
  const options = ['--ignore-scripts', '--no-package-lock', '--omit=dev', '--no-audit', '--no-fund'];
  const quiet = ['--no-update-notifier', '--no-progress'];
  return [
    {
      program: npmProgram,
      args: ['install', '--prefix', packagesInside, ...options, ...quiet, '--', ...packages],
      variables: {
        ...ofManager,
        npm_config_proxy: egress,
        npm_config_https_proxy: egress,
        npm_config_cache: '/workspace/.npm',
        npm_config_logs_max: '0',
        npm_config_git: '/bin/false',
        npm_config_allow_git: 'none',
        npm_config_allow_file: 'none',
        npm_config_allow_directory: 'none',
        npm_config_fetch_retries: '3',
        npm_config_fetch_retry_factor: '2',
        npm_config_fetch_retry_mintimeout: '1000',
      },
    },
  ];
}

const egress = `http://127.0.0.1:${egressPort}`;
const asked = '/workspace/requirements.in';
const requirements = '/workspace/requirements.txt';

/**
 * uv checks no digest that an index gives for a file, except one that it is told to require: so the versions
 * are found first, with the digests of their files, and installed by them. Compiling to bytecode runs Python:
 * the machine's own, since a wheel may replace what is in the environment (`bin/python`, `pyvenv.cfg`), and
 * with `-I -S`, since its start-up would run code of the packages (`.pth` files).
 */
function* uv({ packages, python }: FillOrder, ofManager: Record<string, string>): Generator<Step> {
  writeFileSync(asked, `${packages.join('\n')}\n`);
  const directory = join(packagesInside, pythonEnvironment);
  const interpreter = join(directory, 'bin/python');
  const variables = {
    ...ofManager,
    HTTP_PROXY: egress,
    HTTPS_PROXY: egress,
    UV_CACHE_DIR: '/workspace/.uv',
    UV_LINK_MODE: 'copy',
    UV_PYTHON_DOWNLOADS: 'never',
    UV_PYTHON_PREFERENCE: 'only-system',
    UV_NO_PROGRESS: '1',
    UV_NO_CONFIG: '1',
  };
  const step = (...args: string[]): Step => ({ program: uvInside, args, variables });
  const wheels = ['--no-build', '--python', interpreter];
  yield step('venv', '--quiet', ...(python === null ? [] : ['--python', python]), directory);
  const ofMachine = realpathSync(interpreter);
  yield step(
    ...['pip', 'compile', '--quiet', '--generate-hashes', '--no-header', '--no-annotate', ...wheels],
    ...['--output-file', requirements, asked],
  );
  yield step('pip', 'sync', '--require-hashes', ...wheels, requirements);
  yield {
    program: ofMachine,
    args: ['-I', '-S', '-m', 'compileall', '-q', '-j', '0', join(directory, 'lib')],
    variables: {},
    // Some packages bring files of other versions of Python.
    mayFail: true,
  };
}
