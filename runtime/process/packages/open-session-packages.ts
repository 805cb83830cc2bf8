/** Packages for the sessions of one worker, with the registries and programs detected on this machine. */
import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Machine, PackageSources } from '../render-launch.ts';
import type { ProcessWorkloadSpec } from '../workload-spec.ts';
import { createPackageCache, type PackageCache } from './cache.ts';
import { findUv, knownRegistries } from './known-registries.ts';
import type { OutboundProxy } from './proxy/registries.ts';
import { preparePackages, type SessionPackages } from './session-packages.ts';

export interface PackageCacheOptions {
  directory: string;
  npmRegistryToken: string | null;
  pypiIndexToken: string | null;
  outboundProxy: OutboundProxy | null;
  /** Hosts of files that may have private addresses, beside the registries' own. */
  privateHosts: string[];
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
  packageCache: PackageCacheOptions | null;
  logger: Logger;
}

export interface PackagesOfSessions {
  /** Commands whose packages cannot be loaded here. */
  missingCommands: string[];
  prepare(spec: ProcessWorkloadSpec, signal?: AbortSignal): Promise<SessionPackages>;
  /** A session is being stopped: aborts its loading. */
  giveUp(sessionId: string): void;
}

const answerTimeoutMs = 10_000;

/** Without a sandbox no packages are loaded. */
export async function openSessionPackages(
  options: OpenOptions,
  { root, ...machine }: Machine,
): Promise<PackagesOfSessions> {
  const { packageCache: settings, packages: sources, logger } = options;
  if (settings === null || root === null) {
    return { missingCommands: [], prepare: async () => new Map(), giveUp: () => undefined };
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
      ...{ directory, registries, answerTimeoutMs },
      certificateAuthorities: sources.caFile === null ? null : readFileSync(sources.caFile, 'utf8'),
      limits: { sizeBytes: settings.maxBytes, files: settings.maxFiles },
    },
  });
  return {
    missingCommands: uv === null ? ['uvx'] : [],
    ...ofSessions(cache, { deadlineMs: settings.deadlineMs, logger }),
  };
}

function ofSessions(
  cache: PackageCache,
  options: { deadlineMs: number; logger: Logger },
): Omit<PackagesOfSessions, 'missingCommands'> {
  const starting = new Map<string, AbortController>();
  return {
    async prepare(spec, signal = new AbortController().signal) {
      const stopped = new AbortController();
      starting.set(spec.sessionId, stopped);
      try {
        const both = AbortSignal.any([signal, stopped.signal]);
        return await preparePackages(spec, { cache, ...options, signal: both });
      } finally {
        starting.delete(spec.sessionId);
      }
    },
    giveUp(sessionId) {
      starting.get(sessionId)?.abort(new Error('the session is being stopped'));
    },
  };
}
