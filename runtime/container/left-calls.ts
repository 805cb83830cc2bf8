/** Calls that a session's sidecar recorded and could not report, because it was killed or the platform was unreachable. */
import { join } from 'node:path';
import { auditSpoolPath, readSpool } from '../../contract/audit-spool.ts';
import { containerPaths } from '../container-workload/container-workload.ts';
import type { TakeLeftCalls } from '../workload.ts';
import type { Engine, ListedContainer } from './engine.ts';
import { containerName, type SessionOnEngine } from './names.ts';
import { renderReader } from './render-reader.ts';

const spoolPath = join(containerPaths.session, auditSpoolPath);

/** Hands over every call of the spool, once nothing of the session runs. Throws when they are not accepted. */
export async function handOverCalls(
  engine: Engine,
  session: SessionOnEngine,
  left: {
    containers: readonly ListedContainer[];
    volumes: readonly string[];
    takeLeftCalls: TakeLeftCalls;
    sidecarImage: string;
  },
): Promise<void> {
  const bytes = await readSpoolFile(engine, session, left);
  const { calls, counts } = readSpool(bytes ?? Buffer.alloc(0));
  if (calls.length + counts.length > 0) {
    await left.takeLeftCalls(session.sessionId, calls, counts);
  }
}

/** Through the sidecar's container, or one that is never started when that was removed. */
async function readSpoolFile(
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
