/**
 * How much a neighbour that sends large lines to another server delays a quiet connection, in
 * turns without and with it.
 */

import { median, quantile } from '../shared/harness.ts';
import type { LargeContent } from './messages.ts';
import type { LoadGenerator } from './processes.ts';
import type { Duration, Opened } from './rounds.ts';
import type { Target } from './targets.ts';

export interface NeighbourResult {
  target: string;
  /** What the neighbour's lines are made of. */
  content: LargeContent;
  /** Of a quiet connection's serial calls. */
  aloneP99Ms: number;
  besideP99Ms: number;
  /** Large lines that the neighbour got through a second. */
  linesPerSecond: number;
}

const lineBytes = 1_000_000;
const quietBytes = 300;
const warmUpTurns = 1;
const contents: readonly LargeContent[] = ['text', 'small values'];

/**
 * `flood` is a second load generator: the neighbour must not share a process with the
 * client that is measured.
 */
export async function measureNeighbour(
  opened: readonly Opened[],
  load: LoadGenerator,
  flood: LoadGenerator,
  { cellMs, turnMs }: Duration,
): Promise<NeighbourResult[]> {
  const results: NeighbourResult[] = [];
  for (const { target, neighbour } of opened) {
    if (neighbour === null) {
      continue;
    }
    await flood.open(target.proxy, 'line', neighbour);
    for (const content of contents) {
      const turns = await measureTurns(target, content, { load, flood }, { cellMs, turnMs });
      results.push({ target: target.name, content, ...turns });
    }
  }
  return results;
}

/** Alone and beside the neighbour, in turns. */
async function measureTurns(
  { proxy }: Target,
  content: LargeContent,
  { load, flood }: { load: LoadGenerator; flood: LoadGenerator },
  { cellMs, turnMs }: Duration,
): Promise<Omit<NeighbourResult, 'target' | 'content'>> {
  const measureTurn = async () => {
    const shape = { sizeBytes: quietBytes, inFlight: 1, durationMs: turnMs };
    return (await load.measure({ client: proxy, kind: 'call', ...shape })).latenciesMs;
  };
  const alone: number[][] = [];
  const beside: number[][] = [];
  const rates: number[] = [];
  for (let turn = -warmUpTurns; turn < cellMs / turnMs; turn += 1) {
    const first = await measureTurn();
    await flood.flood(proxy, lineBytes, content);
    const second = await measureTurn();
    const rate = await flood.stopFlood();
    if (turn >= 0) {
      alone.push(first);
      beside.push(second);
      rates.push(rate);
    }
  }
  const p99 = (turns: number[][]) => quantile(turns.flat(), 0.99);
  return { aloneP99Ms: p99(alone), besideP99Ms: p99(beside), linesPerSecond: median(rates) };
}
