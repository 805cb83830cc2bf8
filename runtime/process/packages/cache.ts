/**
 * Packages of MCP servers on this machine's disk, separate for each workspace: loaded once in a sandbox,
 * sealed by a digest, verified at each start, and read-only for the servers (docs/decisions/0030).
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { uuid } from '../../../contract/names.ts';
import { isPinned, type PackageRequest } from '../../../contract/package-request.ts';
import { createKeyedMutex, type KeyedMutex } from '../../../lib/limits/mutex.ts';
import { createSharedSemaphore, type SharedSemaphore } from '../../../lib/limits/semaphore.ts';
import { type CacheEntry, keyOf, readEntry, writeEntry } from './entry.ts';
import { PackagesError } from './errors.ts';
import { isUsed, makeRoom, usersDirectory } from './evict.ts';
import { type FilledTree, fillPackages, type PackageSettings } from './fill.ts';
import { withLock } from './lock.ts';
import { verifyTree } from './manifest.ts';
import type { Registry } from './registries.ts';
import type { FillMachine } from './render-fill.ts';

export interface CacheSettings extends PackageSettings {
  directory: string;
  /** Of all packages of a workspace. */
  workspaceBytes: number;
  /** Packages without a version are refreshed after this time. */
  refreshAfterMs: number;
  /** For all packages of one session. */
  deadlineMs: number;
}

export interface PackageCache {
  /**
   * Verified packages; the session keeps them until its directory is deleted. Throws PackagesError, or the
   * reason of `signal`.
   */
  provide(
    request: PackageRequest,
    session: SessionOfCache,
    options: ProvideOptions,
  ): Promise<ProvidedPackages>;
}

export interface ProvideOptions {
  signal: AbortSignal;
  /** Called when they are not there yet: they are loaded, or waited for while another session loads them. */
  onLoad(): void;
}

export interface SessionOfCache {
  sessionId: string;
  workspaceId: string;
}

export interface ProvidedPackages {
  /** On this machine. */
  tree: string;
  /** The program to run, below the tree. */
  program: string;
}

/** How long cached packages are used without a retry after a registry was unreachable. */
const retryAfterMs = 5 * 60_000;
/** Across all workspaces: each may use three times PACKAGE_MAX_BYTES of memory. */
const loadersAtOnce = 4;
/**
 * The others are for other workspaces: a registry may keep a load waiting for as long
 * as it is allowed to take.
 */
const loadersOfWorkspace = 2;

interface CacheDependencies {
  settings: CacheSettings;
  machine: FillMachine;
  sessionsDirectory: string;
  logger: Logger;
}

interface Place {
  workspace: string;
  /** The request's directory. */
  directory: string;
  request: PackageRequest;
  registry: Registry;
  session: SessionOfCache;
  signal: AbortSignal;
}

export function createPackageCache(dependencies: CacheDependencies): PackageCache {
  const runExclusive = createKeyedMutex();
  const withPermit = createSharedSemaphore({ permits: loadersAtOnce, permitsOfKey: loadersOfWorkspace });
  const platform = `${process.platform}-${process.arch}-${process.version}`;
  return {
    async provide(request, session, { signal, onLoad }) {
      const { settings, machine } = dependencies;
      const registry = registryOf(request, machine, settings.registries);
      const key = keyOf(request, { registry: registry.url.href, platform });
      const workspace = join(settings.directory, uuid.parse(session.workspaceId));
      const directory = join(workspace, key);
      const place = { workspace, directory, request, registry, session, signal };
      mkdirSync(place.directory, { recursive: true, mode: 0o700 });
      const fresh = currentTree(dependencies, place);
      const provided = fresh === null ? null : await verified(dependencies, place, fresh);
      if (provided !== null) {
        return provided;
      }
      onLoad();
      return runExclusiveUntil(signal, runExclusive, directory, () =>
        withLock(join(directory, 'lock'), signal, () =>
          loadExclusively(dependencies, place, { withPermit, runExclusive }),
        ),
      );
    },
  };
}

/** Who gives up does not wait for those before. Throws the reason of `signal` then. */
function runExclusiveUntil<Result>(
  signal: AbortSignal,
  runExclusive: KeyedMutex,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    runExclusive(key, async () => {
      signal.removeEventListener('abort', giveUp);
      signal.throwIfAborted();
      return work();
    }).then(resolve, reject);
  });
}

function registryOf(
  { manager }: PackageRequest,
  { uv }: FillMachine,
  { [manager]: registry }: CacheSettings['registries'],
): Registry {
  if (manager === 'uv' && uv === null) {
    throw new PackagesError('uvx needs uv on the machine that runs sessions; an operator has to install it');
  }
  if (registry === null) {
    throw new PackagesError(
      'no package registry is known; an operator has to set NPM_REGISTRY_URL or PYPI_INDEX_URL',
      { shownAs: 'registry_unreachable' },
    );
  }
  return registry;
}

/** Null when there is none, or it must be refreshed. */
function currentTree({ settings }: CacheDependencies, { directory, request }: Place): CacheEntry | null {
  const entry = readEntry(directory);
  const isOld = entry !== null && Date.now() - entry.askedAtMs > settings.refreshAfterMs;
  return isOld && !isPinned(request) ? null : entry;
}

/**
 * The session is recorded first, so that no other worker evicts what is being verified. Null
 * when verification fails.
 */
async function verified(
  { logger }: CacheDependencies,
  { directory, session }: Place,
  { digest }: CacheEntry,
): Promise<ProvidedPackages | null> {
  const place = join(directory, digest);
  if (!existsSync(place)) {
    return null;
  }
  try {
    markUsed(place, session);
  } catch {
    return null;
  }
  const manifest = await verifyTree(place, digest);
  if (manifest !== null) {
    return { tree: join(place, 'tree'), program: manifest.program };
  }
  rmSync(join(place, usersDirectory, session.sessionId), { force: true });
  logger.warn(
    { ...session, packages: place },
    'cached packages are not as they were loaded; they are loaded again',
  );
  return null;
}

/** Kept from then on, for as long as the session's directory is there. */
function markUsed(place: string, { sessionId }: SessionOfCache): void {
  mkdirSync(join(place, usersDirectory), { recursive: true, mode: 0o700 });
  writeFileSync(join(place, usersDirectory, sessionId), '');
  utimesSync(place, new Date(), new Date());
}

/** They may have been loaded concurrently. */
async function loadExclusively(
  dependencies: CacheDependencies,
  place: Place,
  { withPermit, runExclusive }: { withPermit: SharedSemaphore; runExclusive: KeyedMutex },
): Promise<ProvidedPackages> {
  removeUnfinished(place.directory);
  const fresh = currentTree(dependencies, place);
  const provided = fresh === null ? null : await verified(dependencies, place, fresh);
  if (provided !== null) {
    return provided;
  }
  try {
    return await withPermit(place.workspace, place.signal, () => load(dependencies, place, runExclusive));
  } catch (error) {
    const isAway = error instanceof PackagesError && error.shownAs === 'registry_unreachable';
    const old = isAway ? readEntry(place.directory) : null;
    const stillThere = old === null ? null : await verified(dependencies, place, old);
    if (old === null || stillThere === null) {
      throw error;
    }
    const { settings, logger } = dependencies;
    writeEntry(place.directory, { ...old, askedAtMs: Date.now() - settings.refreshAfterMs + retryAfterMs });
    logger.warn({ ...place.session, reason: String(error) }, 'the packages of before are used');
    return stillThere;
  }
}

async function load(
  dependencies: CacheDependencies,
  place: Place,
  runExclusive: KeyedMutex,
): Promise<ProvidedPackages> {
  const { machine, settings, logger } = dependencies;
  const { workspace, directory, request, registry, session, signal } = place;
  const unfinished = join(directory, `unfinished-${randomUUID()}`);
  const startedAtMs = Date.now();
  const { packages } = request;
  const onProgress = (receivedBytes: number) =>
    logger.info(
      { ...session, packages, receivedBytes, elapsedMs: Date.now() - startedAtMs },
      'packages are being loaded',
    );
  onProgress(0);
  try {
    const filled = await fillPackages(request, unfinished, {
      ...{ machine, settings, registry, signal, onProgress },
    });
    rmSync(join(unfinished, 'sandbox'), { recursive: true, force: true });
    // One at a time evicts in a workspace.
    await runExclusive(workspace, () =>
      withLock(join(workspace, 'lock'), signal, () => publish(dependencies, place, { unfinished, filled })),
    );
    const { entries, sizeBytes, program } = filled.manifest;
    const loaded = { packages, files: entries.length, sizeBytes, tookMs: Date.now() - startedAtMs };
    logger.info({ ...session, ...loaded }, 'packages were loaded');
    // Their digests were taken as they were written: reading them again would double
    // what a first start costs.
    return { tree: join(directory, filled.digest, 'tree'), program };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** In this order, so that everything that an entry names is complete. */
async function publish(
  { settings, sessionsDirectory }: CacheDependencies,
  { workspace, directory, session }: Place,
  { unfinished, filled: { manifest, digest } }: { unfinished: string; filled: FilledTree },
): Promise<void> {
  const target = join(directory, digest);
  const entry = { digest, askedAtMs: Date.now() };
  if (existsSync(target) && (await verifyTree(target, digest)) !== null) {
    markUsed(target, session);
    return writeEntry(directory, entry);
  }
  // The tree was changed since it was loaded. A session that runs from it keeps only its open files.
  rmSync(target, { recursive: true, force: true });
  const room = { neededBytes: manifest.sizeBytes, maxBytes: settings.workspaceBytes, sessionsDirectory };
  if (!makeRoom(workspace, room)) {
    throw new PackagesError(
      `the packages do not fit into the ${settings.workspaceBytes} bytes of this workspace beside those in use (PACKAGE_CACHE_BYTES)`,
    );
  }
  markUsed(unfinished, session);
  renameSync(unfinished, target);
  writeEntry(directory, entry);
  removeReplaced(directory, digest, sessionsDirectory);
}

function removeReplaced(directory: string, current: string, sessionsDirectory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const place = join(directory, entry.name);
    if (entry.isDirectory() && entry.name !== current && !isUsed(place, sessionsDirectory)) {
      rmSync(place, { recursive: true, force: true });
    }
  }
}

/** Leftovers of workers killed while loading: the lock holder is the only one active. */
function removeUnfinished(directory: string): void {
  for (const name of readdirSync(directory).filter((each) => each.startsWith('unfinished-'))) {
    rmSync(join(directory, name), { recursive: true, force: true });
  }
}
