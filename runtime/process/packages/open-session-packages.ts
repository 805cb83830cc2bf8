/** Packages for the sessions of one worker, with the registries and programs detected on this machine. */
import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { PackageSources } from '../../variables.ts';
import type { OnStartDelay } from '../../workload.ts';
import type { Machine } from '../render-launch.ts';
import { createPackageCache } from './cache.ts';
import type { OutboundProxy } from './egress.ts';
import { findUv, knownRegistries } from './known-registries.ts';
import { type PackageUser, preparePackages, type SessionPackages } from './session-packages.ts';

export interface PackageCacheSettings {
  directory: string;
  npmRegistryToken: string | null;
  pypiIndexToken: string | null;
  outboundProxy: OutboundProxy | null;
  /** Hosts, or `host:port`, that files of packages may come from beside the registries' own. */
  fileHosts: string[];
  /** null: the one on the PATH. */
  uvProgram: string | null;
  /** Of the packages of one request. */
  maxBytes: number;
  maxFiles: number;
  /** Of all packages of a workspace. */
  workspaceBytes: number;
  refreshAfterMs: number;
  /** For all packages of one session. */
  deadlineMs: number;
}

interface OpenOptions {
  sessionsDirectory: string;
  packages: PackageSources;
  packageCache: PackageCacheSettings | null;
  logger: Logger;
}

export interface PackagesOfSessions {
  /** Commands whose packages cannot be loaded here. */
  missingCommands: string[];
  /** Throws the reason of `signal`. */
  prepare(user: PackageUser, start: { signal: AbortSignal; onDelay: OnStartDelay }): Promise<SessionPackages>;
}

const silenceMs = 30_000;

/** Without a sandbox no packages are loaded. */
export async function openSessionPackages(
  options: OpenOptions,
  { root, ...machine }: Pick<Machine, 'root' | 'programs' | 'limits' | 'cgroups' | 'owner'>,
): Promise<PackagesOfSessions> {
  const { packageCache: settings, packages: sources, logger } = options;
  if (settings === null || root === null) {
    return { missingCommands: [], prepare: async () => new Map() };
  }
  const uv = settings.uvProgram ?? (await findUv());
  const registries = await knownRegistries({ ...settings, ...sources }, uv);
  const directory = resolve(settings.directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const cache = createPackageCache({
    logger,
    machine: { ...machine, root, uv },
    sessionsDirectory: resolve(options.sessionsDirectory),
    settings: {
      ...settings,
      ...{ directory, registries, silenceMs },
      certificateAuthorities: sources.caFile === null ? null : readFileSync(sources.caFile, 'utf8'),
      limits: { sizeBytes: settings.maxBytes, files: settings.maxFiles },
    },
  });
  const { deadlineMs } = settings;
  return {
    missingCommands: uv === null ? ['uvx'] : [],
    prepare: (user, start) => preparePackages(user, { cache, deadlineMs, logger, ...start }),
  };
}
