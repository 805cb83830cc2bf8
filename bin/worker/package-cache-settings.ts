/** What the worker's configuration says about packages of `npx` and `uvx` entries. */
import { join } from 'node:path';
import type { WorkerConfig } from '../../config/worker.ts';
import type { PackageCacheSettings } from '../../runtime/process/packages/open-session-packages.ts';

export function packageCacheSettings(
  config: Extract<WorkerConfig, { RUNTIME: 'process' }>,
): PackageCacheSettings {
  return {
    directory: config.PACKAGE_CACHE_DIR ?? join(config.SESSIONS_DIR, '../package-cache'),
    npmRegistryToken: config.NPM_REGISTRY_TOKEN ?? null,
    pypiIndexToken: config.PYPI_INDEX_TOKEN ?? null,
    outboundProxy:
      config.HTTPS_PROXY === undefined ? null : { url: config.HTTPS_PROXY, except: config.NO_PROXY },
    fileHosts: config.PACKAGE_FILE_HOSTS,
    uvProgram: config.UV_PROGRAM ?? null,
    maxBytes: config.PACKAGE_MAX_BYTES,
    maxFiles: config.PACKAGE_MAX_FILES,
    workspaceBytes: config.PACKAGE_CACHE_BYTES,
    refreshAfterMs: config.PACKAGE_REFRESH_SECONDS * 1000,
    deadlineMs: config.PACKAGE_LOAD_SECONDS * 1000,
  };
}
