import type { ProcessLimits } from '../../runtime/process/render-launch.ts';
import type { PackageSources } from '../../runtime/variables.ts';

const mebibyte = 1024 * 1024;

/** The defaults of the worker's settings. */
export const processLimits: ProcessLimits = {
  agent: { memoryBytes: 1024 * mebibyte, cpuMillis: 1000, processes: 512 },
  server: { memoryBytes: 512 * mebibyte, cpuMillis: 1000, processes: 512 },
  workspaceBytes: 256 * mebibyte,
};

export const publicPackages: PackageSources = { npmRegistryUrl: null, pypiIndexUrl: null, caFile: null };
