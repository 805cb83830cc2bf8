/** Latency and throughput: every target in turns, so that other load on the machine affects all of them. */

import { median, quantile } from '../shared/harness.ts';
import { cpuMs } from './process-figures.ts';
import type { LoadGenerator, Processes } from './processes.ts';
import { type Address, type Place, proxies, type Target } from './targets.ts';

/** Requests of this size, with that many concurrent ones. */
export interface Shape {
  sizeBytes: number;
  inFlight: number;
}

export interface Cell extends Shape {
  target: string;
  /** Of all calls of all turns. */
  p50Ms: number;
  p99Ms: number;
  /** The median of the turns. */
  perSecond: number;
  /** Processor time of the proxy itself; null where there is none. */
  cpuMsPerCall: number | null;
  calls: number;
}

export interface Duration {
  /** For each cell, warm-up not counted. */
  cellMs: number;
  turnMs: number;
}

export interface Opened extends Address {
  target: Target;
}

const warmUpTurns = 3;

/** Starts what the targets need and connects a client to each. */
export async function openTargets(
  chosen: readonly Target[],
  processes: Processes,
  load: LoadGenerator,
  place: Place,
): Promise<Opened[]> {
  const addresses = new Map<string, Address>();
  const opened: Opened[] = [];
  for (const target of chosen) {
    const { proxy } = target;
    const address = addresses.get(proxy) ?? (await proxies[proxy](processes, place));
    if (!addresses.has(proxy)) {
      addresses.set(proxy, address);
      await load.open(proxy, address.transport, address.address);
    }
    opened.push({ ...address, target });
  }
  return opened;
}

/** Measures all targets at one shape. */
export async function measureShape(
  opened: readonly Opened[],
  shape: Shape,
  load: LoadGenerator,
  { cellMs, turnMs }: Duration,
): Promise<Cell[]> {
  const measured = opened
    .filter(({ target }) => shape.inFlight === 1 || !target.serialOnly)
    .map(({ target, pid }) => ({
      target,
      pid,
      latenciesMs: [] as number[][],
      perSecond: [] as number[],
      cpuMs: 0,
    }));
  for (let turn = -warmUpTurns; turn < cellMs / turnMs; turn += 1) {
    for (const each of measured) {
      const { proxy: client, kind } = each.target;
      // socat serves each connection in a process of its own; other proxies' processes are
      // the servers behind them.
      const cpu = () => (each.pid === null ? 0 : cpuMs(each.pid, client === 'socat'));
      const before = cpu();
      const sample = await load.measure({ client, kind, ...shape, durationMs: turnMs });
      if (turn >= 0) {
        each.cpuMs += cpu() - before;
        each.latenciesMs.push(sample.latenciesMs);
        each.perSecond.push(sample.perSecond);
      }
    }
  }
  return measured.map(({ target, pid, latenciesMs, perSecond, cpuMs }) => {
    const all = latenciesMs.flat();
    return {
      target: target.name,
      ...shape,
      p50Ms: quantile(all, 0.5),
      p99Ms: quantile(all, 0.99),
      perSecond: median(perSecond),
      cpuMsPerCall: pid === null ? null : cpuMs / all.length,
      calls: all.length,
    };
  });
}
