/** The process runtime under test: the built programs, with sessions in a directory of the test's own. */

import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pino from 'pino';
import { createProcessRuntime, type ProcessRuntimeDependencies } from '../../../runtime/process/driver.ts';
import type { WorkloadPlan } from '../../../runtime/workload-plan/workload-plan.ts';
import { limitsWith } from '../../support/limits.ts';
import { testEndpoints } from '../../support/model-endpoints.ts';
import { processLimits, publicPackages } from '../../support/process-limits.ts';
import type { DriverUnderTest } from './driver-under-test.ts';
import { startWorkerProcess } from './worker-process.ts';

const startSessionScript = new URL('./inside/start-session.ts', import.meta.url);

export interface ProcessDriver extends DriverUnderTest<WorkloadPlan> {
  sessionsDirectory: string;
  directoryOf(sessionId: string): string;
  /** What a worker of it in a process of its own is told; lists of hosts are left out. */
  workerOptions(apiUrl: string): object;
  remove(): void;
}

export function processDriver(options: Partial<ProcessRuntimeDependencies> = {}): ProcessDriver {
  const sessionsDirectory = mkdtempSync(join(tmpdir(), 'sessions-'));
  const directoryOf = (sessionId: string) => join(sessionsDirectory, sessionId);
  const optionsFor = (apiUrl: string) => ({
    sessionsDirectory,
    programsDirectory: resolve('dist'),
    runnerDirectory: resolve('deploy/runner'),
    claudeDirectory: null,
    nodeBinary: process.execPath,
    sandbox: 'require' as const,
    allowUnsandboxed: false,
    production: false,
    apiUrl,
    auditSync: 'within-100-ms' as const,
    limits: limitsWith({ LIMIT_ARTIFACT_BYTES: String(1024 * 1024) }),
    containers: processLimits,
    packages: publicPackages,
    packageCache: null,
    warmHosts: 0,
    privateMcpHosts: new Map(),
    modelEndpoints: testEndpoints(),
    privateRepositoryHosts: new Map(),
    ...options,
  });
  return {
    sessionsDirectory,
    directoryOf,
    workerOptions: optionsFor,
    isolates: options.sandbox !== 'off',
    siblings: options.sandbox !== 'off',
    hasOwnNetworks: true,
    reportsFromInside: false,
    open: (apiUrl) =>
      createProcessRuntime({
        takeLeftCalls: async () => undefined,
        takePatch: async () => undefined,
        logger: pino({ level: 'silent' }),
        ...optionsFor(apiUrl),
      }),
    startInProcess: (apiUrl, spec, secrets, dieAfterMs) =>
      startWorkerProcess(startSessionScript, {
        dieAfterMs,
        options: optionsFor(apiUrl),
        spec,
        secrets,
      }),
    hostAddress: async () => '127.0.0.1',
    async lose(sessionId) {
      process.kill(hostOf(directoryOf(sessionId)), 'SIGKILL');
    },
    running: async (sessionId) => running(sessionId),
    remove: () => rmSync(sessionsDirectory, { recursive: true, force: true }),
  };
}

export const hostOf = (directory: string): number =>
  JSON.parse(readFileSync(join(directory, 'host.json'), 'utf8')).pid;

/** Finds a session's processes by every possible trace, which is more than the runtime itself checks. */
function running(sessionId: string): string[] {
  const traces = ['cmdline', 'environ', 'mountinfo', 'cwd'];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const seen = traces.filter((trace) => traceOf(pid, trace).includes(sessionId));
      return seen.length > 0 ? [`${pid} (${seen.join(', ')}): ${traceOf(pid, 'cmdline')}`] : [];
    });
}

/** Empty for a process that has ended. */
export function traceOf(pid: string, trace: string): string {
  try {
    return trace === 'cwd' ? readlinkSync(`/proc/${pid}/cwd`) : readFileSync(`/proc/${pid}/${trace}`, 'utf8');
  } catch {
    return '';
  }
}
