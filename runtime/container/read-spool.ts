import { join } from 'node:path';
import { auditSpoolPath } from '../../contract/audit-spool.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import type { Engine, ListedContainer } from './engine.ts';
import { containerName, type SessionOnEngine } from './names.ts';
import { renderReader } from './render-reader.ts';

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
