import { join } from 'node:path';
import { auditSpoolPath } from '../../contract/audit-spool.ts';
import { containerUsers } from '../container-workload/container-workload.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import { containerBody } from './container-body.ts';
import type { ContainerBody } from './container-plan.ts';
import type { Engine, ListedContainer } from './engine.ts';
import { containerName, type SessionOnEngine, volumeName } from './names.ts';
import { bind } from './render-volumes.ts';

const spoolPath = join(containerPaths.session, auditSpoolPath);

/**
 * The spool on a session's volume; null when there is none. Read through the sidecar's container, or one that
 * is never started when that was removed.
 */
export async function readSpoolFile(
  engine: Engine,
  session: SessionOnEngine,
  {
    containers,
    volumes,
    sidecarImage,
  }: { containers: readonly ListedContainer[]; volumes: readonly string[]; sidecarImage: string },
): Promise<Buffer | null> {
  const sidecar = containers.find(({ name }) => name === 'sidecar');
  if (sidecar !== undefined) {
    return engine.readFile(sidecar.id, spoolPath);
  }
  const reader = renderReader(session, sidecarImage);
  const earlier = containers.find(({ name }) => name === reader.name);
  if (!volumes.includes(reader.volume)) {
    return null;
  }
  const id = earlier?.id ?? (await engine.createContainer(containerName(session, reader.name), reader.body));
  return engine.readFile(id, spoolPath);
}

/** A container that is never started, used to read a volume whose own container was removed. */
function renderReader(
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
