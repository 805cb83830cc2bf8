/** Memory of an idle sidecar, compared with an idle node. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Memory, memoryOf } from './process-figures.ts';
import type { LoadGenerator, Processes } from './processes.ts';
import { type Place, proxies } from './targets.ts';

export interface MemoryResult {
  node: Memory;
  /** Before its first call. */
  sidecar: Memory;
  /** Some seconds after many calls. */
  sidecarAfterCalls: Memory;
  calls: number;
}

const settleMs = 5000;
const loadMs = 3000;

export async function measureMemory(
  processes: Processes,
  load: LoadGenerator,
  place: Place,
): Promise<MemoryResult> {
  const { pid: nodePid = 0 } = processes.start([process.execPath, '-e', 'setInterval(() => {}, 1e9)']);
  const { address, pid } = await proxies.sidecar(processes, place);
  await sleep(settleMs);
  const idle = { node: memoryOf(nodePid), sidecar: memoryOf(pid ?? 0) };
  await load.open('sidecar', 'line', address);
  const { latenciesMs } = await load.measure({
    ...{ client: 'sidecar', kind: 'call', sizeBytes: 300, inFlight: 64, durationMs: loadMs },
  });
  await sleep(settleMs);
  return { ...idle, sidecarAfterCalls: memoryOf(pid ?? 0), calls: latenciesMs.length };
}
