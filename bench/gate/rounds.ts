/** Latency and throughput: every target in turns, so that what the machine does meanwhile hits all of them. */
import type { LoadGenerator, Processes } from './processes.ts';
import { median, quantile } from './statistics.ts';
import { type Address, type Place, proxies, type Target } from './targets.ts';

/** Lines of this size, so many at a time. */
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
  calls: number;
}

export interface Duration {
  /** For each cell, warm-up not counted. */
  cellMs: number;
  turnMs: number;
}

const warmUpTurns = 2;

export type Addresses = ReadonlyMap<string, Address>;

/** Starts what the targets need and connects a client to each. Answers by the proxy's name. */
export async function openTargets(
  chosen: readonly Target[],
  processes: Processes,
  load: LoadGenerator,
  place: Place,
): Promise<Addresses> {
  const addresses = new Map<string, Address>();
  for (const proxy of new Set(chosen.map((target) => target.proxy))) {
    const address = await proxies[proxy](processes, place);
    await load.open(proxy, address.transport, address.address);
    addresses.set(proxy, address);
  }
  return addresses;
}

export async function measureRounds(
  chosen: readonly Target[],
  shapes: readonly Shape[],
  load: LoadGenerator,
  duration: Duration,
  progress: (text: string) => void,
): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const shape of shapes) {
    progress(`${shape.sizeBytes} bytes, ${shape.inFlight} in flight`);
    cells.push(...(await measureShape(chosen, shape, load, duration)));
  }
  return cells;
}

async function measureShape(
  chosen: readonly Target[],
  shape: Shape,
  load: LoadGenerator,
  { cellMs, turnMs }: Duration,
): Promise<Cell[]> {
  const measured = chosen.map((target) => ({
    target,
    latenciesMs: [] as number[][],
    perSecond: [] as number[],
  }));
  for (let turn = -warmUpTurns; turn < cellMs / turnMs; turn += 1) {
    for (const { target, latenciesMs, perSecond } of measured) {
      const { proxy: client, kind } = target;
      const sample = await load.measure({ client, kind, ...shape, durationMs: turnMs });
      if (turn >= 0) {
        latenciesMs.push(sample.latenciesMs);
        perSecond.push(sample.perSecond);
      }
    }
  }
  return measured.map(({ target, latenciesMs, perSecond }) => {
    const all = latenciesMs.flat();
    const quantiles = { p50Ms: quantile(all, 0.5), p99Ms: quantile(all, 0.99) };
    return { target: target.name, ...shape, ...quantiles, perSecond: median(perSecond), calls: all.length };
  });
}
