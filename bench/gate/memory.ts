/** Memory of a sidecar, idle and after many calls, compared with an idle node. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Memory, memoryOf } from './process-figures.ts';
import type { LoadGenerator, Processes } from './processes.ts';
import { type Place, proxies } from './targets.ts';

export interface MemoryResult {
  node: Memory;
  /** Before its first call. */
  sidecar: Memory;
  /** Some time after many calls. */
  sidecarAfterCalls: Memory;
  calls: number;
}

/** V8 returns what it no longer needs within half a minute of quiet. */
const settleMs = 40_000;
const calls = 100_000;
/** Far longer than the slowest machine takes for them. */
const limitMs = 600_000;

/** Throws when the calls are not made in time: a figure after fewer would be another one. */
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
    ...{ client: 'sidecar', kind: 'call', sizeBytes: 300, inFlight: 64 },
    ...{ durationMs: limitMs, maxCalls: calls },
  });
  if (latenciesMs.length < calls) {
    throw new Error(`the sidecar made ${latenciesMs.length} of ${calls} calls in ${limitMs / 1000} s`);
  }
  await sleep(settleMs);
  return { ...idle, sidecarAfterCalls: memoryOf(pid ?? 0), calls };
}
