/** Pods as a cluster describes them, from what a test cares about. */
import { labelKeys } from '../../../../runtime/kubernetes/names.ts';
import { type Pod, pod } from '../../../../runtime/kubernetes/pod.ts';

export const session = '00000000-0000-4000-8000-000000000001';

interface Changes {
  metadata?: object;
  spec?: object;
  status?: object;
  /** State by container. */
  states?: Record<string, object>;
}

export function podWith({ metadata = {}, spec = {}, status = {}, states = {} }: Changes = {}): Pod {
  const limits = { memory: String(256 * 1024 * 1024) };
  return pod.parse({
    metadata: {
      name: `session-${session}`,
      uid: 'uid-1',
      resourceVersion: '100',
      labels: { [labelKeys.session]: session },
      ...metadata,
    },
    spec: {
      containers: ['sidecar', 'agent'].map((name) => ({ name, resources: { limits } })),
      ...spec,
    },
    status: {
      phase: 'Running',
      containerStatuses: Object.entries(states).map(([name, state]) => ({ name, state })),
      ...status,
    },
  });
}

export const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
export const ended = (exitCode: number, changes: object = {}) => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', ...changes },
});
export const waiting = (reason: string, message?: string) => ({ waiting: { reason, message } });
