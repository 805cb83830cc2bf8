/** The gate's maximum cost, as ratios of figures of one run, compared with what was measured. */
import type { MemoryResult } from './memory.ts';
import type { NeighbourResult } from './neighbour.ts';
import type { Cell } from './rounds.ts';

export interface Part {
  /** All processes on one core, or wherever the system put them. */
  cores: 'pinned' | 'unpinned';
  cells: Cell[];
}

export interface Results {
  parts: Part[];
  neighbour: NeighbourResult[];
  memory: MemoryResult | null;
}

export interface Reached {
  aim: string;
  where: string;
  ratio: number;
  isMet: boolean;
}

const serial = 1;
const many = 64;

/** Only what was measured. */
export function aimsReached({ parts, neighbour, memory }: Results): Reached[] {
  const atMost = (aim: string, limit: number, where: string, ratio: number): Reached[] =>
    Number.isNaN(ratio) ? [] : [{ aim, where, ratio, isMet: ratio <= limit }];
  const quiet = neighbour.filter(({ target }) => target === 'sidecar');
  return [
    ...parts.flatMap((part) => shapesOf(part).flatMap((sizeBytes) => ofCalls(part, sizeBytes))),
    ...quiet.flatMap(({ content, besideP99Ms, aloneP99Ms }) =>
      atMost(`p99 beside lines of ${content} / alone, at most 3`, 3, 'unpinned', besideP99Ms / aloneP99Ms),
    ),
    ...(memory
      ? atMost(
          'idle memory / idle node, at most 1.25',
          1.25,
          'RSS',
          memory.sidecar.rssBytes / memory.node.rssBytes,
        )
      : []),
  ];
}

function ofCalls({ cores, cells }: Part, sizeBytes: number): Reached[] {
  const where = `${cores}, ${sizeBytes} B`;
  const figure = (target: string, inFlight: number) => find(cells, target, { sizeBytes, inFlight });
  const added = (target: string) =>
    (figure(target, serial)?.p50Ms ?? Number.NaN) - (figure('direct', serial)?.p50Ms ?? Number.NaN);
  const throughput =
    (figure('sidecar', many)?.perSecond ?? Number.NaN) / (figure('socat', many)?.perSecond ?? Number.NaN);
  const bySocat = added('sidecar') / added('socat');
  const bySupergateway = added('sidecar') / added('supergateway');
  return [
    { aim: "added latency / socat's, at most 1.5", where, ratio: bySocat, isMet: bySocat <= 1.5 },
    {
      aim: "added latency / supergateway's, at most 0.02",
      where,
      ratio: bySupergateway,
      isMet: bySupergateway <= 0.02,
    },
    { aim: "calls a second / socat's, at least 0.75", where, ratio: throughput, isMet: throughput >= 0.75 },
  ].filter(({ ratio }) => !Number.isNaN(ratio));
}

const shapesOf = ({ cells }: Part) => [...new Set(cells.map(({ sizeBytes }) => sizeBytes))];

export function find(
  cells: readonly Cell[],
  target: string,
  shape: { sizeBytes: number; inFlight: number },
): Cell | null {
  const isIt = (cell: Cell) =>
    cell.target === target && cell.sizeBytes === shape.sizeBytes && cell.inFlight === shape.inFlight;
  return cells.find(isIt) ?? null;
}
