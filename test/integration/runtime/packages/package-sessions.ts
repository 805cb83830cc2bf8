/**
 * Sessions whose servers come from a registry of the test, with a cache of the test's own. One per test file.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import pino, { type Logger } from 'pino';
import * as z from 'zod';
import {
  type PackagesCause,
  packagesCauses,
  packagesNotLoaded,
  processReport,
} from '../../../../contract/session-process.ts';
import { findCgroups } from '../../../../runtime/process/host/cgroups.ts';
import {
  openSessionPackages,
  type PackageCacheSettings,
  type PackagesOfSessions,
} from '../../../../runtime/process/packages/open-session-packages.ts';
import { readSystemRoot } from '../../../../runtime/process/probe-machine.ts';
import type { Runtime } from '../../../../runtime/workload.ts';
import type { WorkloadPlan } from '../../../../runtime/workload-plan/workload-plan.ts';
import { eventually } from '../../../support/eventually.ts';
import { configuration, serverNamed } from '../../../support/frozen-configuration.ts';
import {
  type PackageRegistry,
  registryPassword,
  startPackageRegistry,
} from '../../../support/package-registry.ts';
import { processLimits } from '../../../support/process-limits.ts';
import { uvProgram } from '../../../support/uv.ts';
import { node, secretsWith, speaksToServers, stays } from '../driver-under-test.ts';
import { type ProcessDriver, processDriver } from '../process-driver.ts';
import { type Reports, takeReports } from '../reports.ts';
import { markingScript, server } from './package-sources.ts';

export const cacheDirectory = mkdtempSync(join(tmpdir(), 'packages-'));
export const workspaceId = randomUUID();
let theRegistry: PackageRegistry;
let reports: Reports;
const drivers: ProcessDriver[] = [];

/** A restarted worker. */
export async function open(
  changes: Partial<PackageCacheSettings> = {},
  logger?: Logger,
): Promise<Runtime<WorkloadPlan>> {
  return openDriver(changes, logger).open(reports.url);
}

export function openDriver(changes: Partial<PackageCacheSettings> = {}, logger?: Logger): ProcessDriver {
  const driver = processDriver({
    ...(logger === undefined ? {} : { logger }),
    ...settingsWith(changes),
  });
  drivers.push(driver);
  return driver;
}

const settingsWith = (changes: Partial<PackageCacheSettings>) => ({
  packages: { npmRegistryUrl: theRegistry.npmUrl, pypiIndexUrl: theRegistry.pypiUrl, caFile: null },
  packageCache: {
    directory: cacheDirectory,
    npmRegistryToken: registryPassword,
    pypiIndexToken: registryPassword,
    outboundProxy: null,
    fileHosts: [],
    uvProgram,
    maxBytes: 64 * 1024 * 1024,
    maxFiles: 10_000,
    workspaceBytes: 256 * 1024 * 1024,
    refreshAfterMs: 3_600_000,
    deadlineMs: 300_000,
    ...changes,
  },
});

/** Of loaders: a session with a directory there uses its packages. */
export const sessionsOfLoaders = join(cacheDirectory, 'sessions');

/**
 * The part of a worker that loads packages, with the sandbox that loads them. What a worker tries of its
 * machine as it starts, and what a session is beside its packages, take several times as long as a load.
 */
export function openLoader(
  changes: Partial<PackageCacheSettings> = {},
  logger: Logger = pino({ level: 'silent' }),
): Promise<PackagesOfSessions> {
  const options = { ...settingsWith(changes), logger, sessionsDirectory: sessionsOfLoaders };
  return openSessionPackages(options, {
    programs: {
      nodePrefix: dirname(dirname(realpathSync(process.execPath))),
      directory: resolve('dist'),
      relay: null,
      runner: resolve('deploy/runner'),
      claude: null,
    },
    ...{ root: readSystemRoot(), limits: processLimits, cgroups: findCgroups(), owner: 'test-of-packages' },
  });
}

type Loaded = { cause: null; tree: string; text: '' } | { cause: PackagesCause | undefined; text: string };

/**
 * What a session gets for its one server: packages, or why there are none, with what its admins see of it.
 */
export async function load(
  loader: PackagesOfSessions | Promise<PackagesOfSessions>,
  args: string[],
  { of = workspaceId, command = 'npx', signal = new AbortController().signal, sessionId = randomUUID() } = {},
): Promise<Loaded> {
  const container = { ...probeContainer, program: { type: 'command' as const, command, args } };
  const user = { sessionId, workspaceId: of, containers: [container] };
  const prepared = await (await loader).prepare(user, { signal, onDelay: () => undefined });
  const given = prepared.get('probe');
  if (given?.type === 'tree') {
    return { cause: null, tree: given.tree, text: '' };
  }
  const text = given?.argv.at(-1) ?? '';
  return { cause: packagesCauses.find((each) => text.startsWith(packagesNotLoaded[each])), text };
}

const probeContainer = {
  role: 'server' as const,
  subject: 'probe',
  network: 'internet' as const,
};

/** The version of a package of npm that was loaded. */
export function versionOf(loaded: Loaded, name: string): string {
  if (loaded.cause !== null) {
    throw new Error(`${name} was not loaded: ${loaded.text}`);
  }
  const file = readFileSync(join(loaded.tree, 'node_modules', name, 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(file)).version;
}

/** What a server reports about itself. */
const told = z.looseObject({
  version: z.string(),
  args: z.array(z.string()),
  writes: z.unknown(),
  /** What a script of its package left, or why there is nothing. */
  installed: z.unknown().optional(),
});

interface Started {
  id: string;
  told: z.infer<typeof told>;
}

export const frozenWith = (
  command: string,
  args: string[],
  of = workspaceId,
  network: 'none' | 'internet' = 'internet',
) =>
  configuration({
    session_id: randomUUID(),
    workspace_id: of,
    agent: node(`${speaksToServers} ${stays}`),
    servers: [serverNamed('probe', { shape: { type: 'command', command, args }, network })],
  });

export async function start(
  runtime: Runtime<WorkloadPlan>,
  args: string[],
  { of = workspaceId, command = 'npx' } = {},
): Promise<Started> {
  const frozen = frozenWith(command, args, of);
  const id = frozen.session_id;
  await runtime.start(runtime.render(frozen), secretsWith(id));
  const parsed = await eventually(async () => {
    const log = await runtime.logs(id, 'mcp-probe', 1_000_000);
    const line = log.split('\n').find((each) => each.startsWith('TOLD '));
    expect({ line, log }).toMatchObject({ line: expect.any(String) });
    return told.parse(JSON.parse(line?.slice(5) ?? 'null'));
  });
  await runtime.stop(id);
  return { id, told: parsed };
}

/**
 * Starts a session whose server gets no packages; returns the failure's report and
 * the output recorded for it.
 */
export async function fails(runtime: Runtime<WorkloadPlan>, args: string[], command = 'npx') {
  const frozen = frozenWith(command, args);
  const id = frozen.session_id;
  const before = Date.now();
  await runtime.start(runtime.render(frozen), secretsWith(id));
  const report = await failureOf(id);
  const tookMs = Date.now() - before;
  const text = await eventually(async () => {
    const log = await runtime.logs(id, 'mcp-probe', 100_000);
    expect(log).toContain('The platform');
    return log;
  });
  await runtime.stop(id);
  return { cause: report?.cause, text, tookMs };
}

/** Starts a session whose server has no network; returns why it failed, and its own output. */
export async function failsOffline(
  runtime: Runtime<WorkloadPlan>,
  { command, args }: { command: string; args: string[] },
) {
  const frozen = frozenWith(command, args, workspaceId, 'none');
  const id = frozen.session_id;
  await runtime.start(runtime.render(frozen), secretsWith(id));
  const report = await failureOf(id);
  const text = await runtime.logs(id, 'mcp-probe', 100_000);
  await runtime.stop(id);
  return { cause: report?.cause, text };
}

function failureOf(sessionId: string) {
  return eventually(() => {
    const all = reports.of(sessionId, 'processes').map(({ body }) => processReport.parse(body));
    const failed = all.findLast(({ name, state }) => name === 'probe' && state === 'failed');
    expect(failed).toBeDefined();
    return failed;
  });
}

export const keysOf = (workspace: string) =>
  readdirSync(join(cacheDirectory, workspace)).filter((name) => /^[0-9a-f]{64}$/.test(name));
/** Every file of the cache. */
export const cached = () =>
  readdirSync(cacheDirectory, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

export const registry = () => theRegistry;
export const reportsUrl = () => reports.url;

/** Call it once, at the top of a test file. */
export function usePackageRegistry(): void {
  beforeAll(async () => {
    // The file before may have removed it.
    mkdirSync(cacheDirectory, { recursive: true });
    theRegistry = await startPackageRegistry();
    reports = await takeReports();
    const run = 'node look.js';
    const scripts = { preinstall: run, install: run, postinstall: run, prepare: run };
    const more = { bin: { 'probe-server': 'server.js' }, dependencies: { leftover: '^1.0.0' }, scripts };
    theRegistry.publishNpm('leftover', '1.2.0', {
      files: { 'index.js': 'module.exports = 1;', 'look.js': markingScript },
      more: { scripts },
    });
    theRegistry.publishNpm('probe-server', '1.0.0', {
      files: { 'server.js': server, 'look.js': markingScript },
      more,
    });
  });
  afterEach(() => {
    theRegistry.interfere(() => false);
    theRegistry.requests.length = 0;
  });
  afterAll(async () => {
    for (const driver of drivers.splice(0)) {
      driver.remove();
    }
    await reports.close();
    await theRegistry.close();
    rmSync(cacheDirectory, { recursive: true, force: true });
  });
}
