/** Pure: a container that is never started, used to read a volume whose own container was removed. */
import { containerUsers } from '../container-workload/container-workload.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import { containerBody } from './container-body.ts';
import type { ContainerBody } from './container-plan.ts';
import { type SessionOnEngine, volumeName } from './names.ts';
import { bind } from './render-volumes.ts';

export function renderReader(
  session: SessionOnEngine,
  sidecarImage: string,
): { name: string; volume: string; body: ContainerBody & { Env: string[] } } {
  const name = 'reader';
  const volume = volumeName(session, 'session');
  const spec = {
    name,
    image: { reference: sidecarImage, credentialsOf: null },
    argv: [containerPaths.relay, '--help'],
    uid: containerUsers.sidecar,
    workingDirectory: null,
    size: { memoryBytes: 32 * 1024 * 1024, cpuMillis: 100 },
  };
  const binds = [bind(volume, containerPaths.session, 'read-only')];
  const body = containerBody(spec, session, {
    network: { NetworkMode: 'none' },
    binds,
    oomScoreAdj: 0,
    stopSeconds: 1,
  });
  return { name, volume, body: { ...body, Env: [] } };
}
