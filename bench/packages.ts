/**
 * `npm run bench:packages`: what the first load of an `npx` and of a `uvx` entry costs beside
 * the package manager alone.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { type PackageRequest, readPackageRequest } from '../contract/package-request.ts';
import { findCgroups } from '../runtime/process/host/cgroups.ts';
import { createPackageCache } from '../runtime/process/packages/cache.ts';
import { knownRegistries } from '../runtime/process/packages/known-registries.ts';
import { readSystemRoot } from '../runtime/process/probe-machine.ts';
import { processLimits } from '../test/support/process-limits.ts';
import { aimsTable, atMost, conclude, machineLine, orUsage, table, whole } from './shared/harness.ts';

const usage = `npm run bench:packages [-- options]

Loads in turns, each time into an empty cache, from the registries of this machine's npm and uv:
  platform  the packages of an entry, until they are in the workspace's cache, checked and sealed
  alone     npm install, and uv tool install --compile-bytecode, which makes the same

  --rounds N   of each, of which the best counts (default 3)
  --npm NAME   the package of npm (default @modelcontextprotocol/server-everything)
  --pypi NAME  the package of Python (default mcp-server-time)
  --ca FILE    authorities to trust beside the usual ones, as SANDBOX_CA_FILE
  --check      exits with 1 when an aim is missed
`;

const { rounds, npm, pypi, ca, check } = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      npm: { type: 'string', default: '@modelcontextprotocol/server-everything' },
      pypi: { type: 'string', default: 'mcp-server-time' },
      ca: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values.help ? 'help' : { ...values, rounds: whole('--rounds', values.rounds) };
});

/** The one that the set-up of the tests installed, else that of the PATH. */
const uv: string = existsSync('.cache/uv.json') ? JSON.parse(readFileSync('.cache/uv.json', 'utf8')) : 'uv';
const limitMs = 600_000;
const mebibyte = 1024 * 1024;

/** How long `work` takes with an empty directory of its own. */
async function timed(work: (directory: string) => Promise<unknown>): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-packages-'));
  try {
    const startedAtMs = performance.now();
    await work(directory);
    return performance.now() - startedAtMs;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function onThePlatform(request: PackageRequest, directory: string): Promise<void> {
  const settings = { npmRegistryUrl: null, pypiIndexUrl: null, npmRegistryToken: null, pypiIndexToken: null };
  const cache = createPackageCache({
    logger: pino({ level: 'silent' }),
    machine: {
      programs: {
        nodePrefix: dirname(dirname(realpathSync(process.execPath))),
        directory: resolve('dist'),
        relay: null,
        runner: resolve('deploy/runner'),
        claude: null,
      },
      root: readSystemRoot(),
      limits: processLimits,
      cgroups: findCgroups(),
      owner: 'bench',
      uv,
    },
    sessionsDirectory: directory,
    settings: {
      directory,
      registries: await knownRegistries({ ...settings, fileHosts: [] }, uv),
      outboundProxy: null,
      certificateAuthorities: ca === undefined ? null : readFileSync(ca, 'utf8'),
      limits: { sizeBytes: 512 * mebibyte, files: 100_000 },
      silenceMs: 30_000,
      workspaceBytes: 2048 * mebibyte,
      refreshAfterMs: limitMs,
      deadlineMs: limitMs,
    },
  });
  const session = { sessionId: randomUUID(), workspaceId: randomUUID() };
  await cache.provide(request, session, { signal: AbortSignal.timeout(limitMs), onLoad: () => undefined });
}

async function run(program: string, args: string[], env: Record<string, string>): Promise<void> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) {
    throw new Error(`${program} ended with ${exitCode}`);
  }
}

const npmAlone = (directory: string) =>
  run(
    'npm',
    ['install', '--prefix', directory, '--no-audit', '--no-fund', '--no-package-lock', '--omit=dev', npm],
    { npm_config_cache: join(directory, 'cache') },
  );

const uvAlone = (directory: string) =>
  run(uv, ['tool', 'install', '--quiet', '--compile-bytecode', pypi], {
    UV_CACHE_DIR: join(directory, 'cache'),
    UV_TOOL_DIR: join(directory, 'tools'),
    UV_TOOL_BIN_DIR: join(directory, 'bin'),
    UV_PYTHON_DOWNLOADS: 'never',
    UV_PYTHON_PREFERENCE: 'only-system',
  });

const entries = [
  { name: `npx -y ${npm}`, request: readPackageRequest('npx', ['-y', npm]), alone: npmAlone },
  { name: `uvx ${pypi}`, request: readPackageRequest('uvx', [pypi]), alone: uvAlone },
];

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const rows = [['first load', 'platform', 'alone', 'ratio']];
const aims = [];
for (const { name, request, alone } of entries) {
  if (request === null) {
    throw new Error(`${name} is no entry whose packages are loaded`);
  }
  let platformMs = Number.POSITIVE_INFINITY;
  let aloneMs = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= rounds; round += 1) {
    const ofPlatformMs = await timed((directory) => onThePlatform(request, directory));
    const ofToolMs = await timed(alone);
    console.error(`  ${name}, ${round}: ${seconds(ofPlatformMs)} beside ${seconds(ofToolMs)}`);
    platformMs = Math.min(platformMs, ofPlatformMs);
    aloneMs = Math.min(aloneMs, ofToolMs);
  }
  const ratio = platformMs / aloneMs;
  rows.push([name, seconds(platformMs), seconds(aloneMs), ratio.toFixed(2)]);
  aims.push(atMost(`${name}: first load beside the tool alone`, 1.3, ratio));
}
console.log(`${table(rows)}\n\n${aimsTable(aims)}\n\n${machineLine()}`);
process.exit(conclude({ check }, { figures: null, aims }));
