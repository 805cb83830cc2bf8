/** What sessions run as, in words. Pure. */
import type { SystemState } from '../../api/types.ts';

const runtimeText: Record<SystemState['runtime'], string> = {
  process: 'processes of the worker’s machine',
  container: 'containers of a container engine',
  kubernetes: 'Pods of a Kubernetes cluster',
};

type RunningWorker = { capabilities: { sandbox: boolean } };

/** About the sandbox it says only what the running workers report. */
export function sessionsText(runtime: SystemState['runtime'], running: readonly RunningWorker[]): string {
  if (runtime !== 'process' || running.length === 0) {
    return runtimeText[runtime];
  }
  const sandboxed = running.filter(({ capabilities }) => capabilities.sandbox).length;
  if (sandboxed === 0) {
    return `${runtimeText.process}, without a sandbox`;
  }
  const where = sandboxed === running.length ? '' : ' on some workers only';
  return `${runtimeText.process}, each in a sandbox of its own${where}`;
}
