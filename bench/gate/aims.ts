/** The gate's maximum cost, as ratios of figures of one run, compared with what was measured. */
import type { MemoryResult } from './memory.ts';
import type { LargeContent } from './messages.ts';
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
/**
 * The answer to a ping is empty, so that a larger one is no peer of a call, whose
 * answer is as large as itself.
 */
const pingBytes = 300;
/** By the size of a message: small ones cost a proxy most beside moving their bytes. */
const throughputLimits = new Map([
  [300, 0.6],
  [10_000, 0.75],
]);
const neighbourLimits: Readonly<Record<LargeContent, number>> = { text: 2, 'small values': 3 };

/** Only what was measured. */
export function aimsReached({ parts, neighbour, memory }: Results): Reached[] {
  const quiet = neighbour.filter(({ target }) => target === 'sidecar');
  return [
    ...parts.flatMap((part) => sizesOf(part).flatMap((sizeBytes) => ofCalls(part, sizeBytes))),
    ...(memory === null ? [] : ofMemory(memory)),
    ...quiet.map(({ content, besideP99Ms, aloneP99Ms }) =>
      atMost(`p99 beside lines of ${content} / alone`, neighbourLimits[content], {
        where: 'unpinned',
        ratio: besideP99Ms / aloneP99Ms,
      }),
    ),
  ].filter(({ ratio }) => !Number.isNaN(ratio));
}

function ofCalls({ cores, cells }: Part, sizeBytes: number): Reached[] {
  const where = `${cores}, ${sizeBytes} B`;
  const figure = (target: string, inFlight: number) => find(cells, target, { sizeBytes, inFlight });
  const p50 = (target: string) => figure(target, serial)?.p50Ms ?? Number.NaN;
  const added = (target: string) => p50(target) - p50('direct');
  const perSecond = (target: string) => figure(target, many)?.perSecond ?? Number.NaN;
  const cpu = (target: string) => figure(target, many)?.cpuMsPerCall ?? Number.NaN;
  const latency = [
    atMost("latency that a call adds / a ping's", 1.5, {
      where,
      ratio: added('sidecar') / added('sidecar-ping'),
    }),
    atMost("latency that a ping adds / socat's", 2, { where, ratio: added('sidecar-ping') / added('socat') }),
  ];
  const processor = atMost("processor time of a call, 64 in flight / a ping's", 1.5, {
    where,
    ratio: cpu('sidecar') / cpu('sidecar-ping'),
  });
  const limit = throughputLimits.get(sizeBytes);
  const ratio = perSecond('sidecar') / perSecond('socat');
  return [
    ...(cores === 'pinned' && sizeBytes === pingBytes ? latency : []),
    ...(cores === 'unpinned' && limit !== undefined
      ? [atLeast("calls a second, 64 in flight / socat's", limit, { where, ratio })]
      : []),
    ...(sizeBytes === pingBytes ? [processor] : []),
  ];
}

function ofMemory({ node, sidecar, sidecarAfterCalls, calls }: MemoryResult): Reached[] {
  const beside = ({ rssBytes }: { rssBytes: number }) => ({ where: 'RSS', ratio: rssBytes / node.rssBytes });
  return [
    atMost('idle sidecar / idle node', 1.4, beside(sidecar)),
    atMost(`sidecar after ${calls.toLocaleString('en')} calls / idle node`, 1.7, beside(sidecarAfterCalls)),
  ];
}

type Found = Pick<Reached, 'where' | 'ratio'>;

const atMost = (what: string, limit: number, found: Found): Reached => ({
  ...found,
  aim: `${what}, at most ${limit}`,
  isMet: found.ratio <= limit,
});

const atLeast = (what: string, limit: number, found: Found): Reached => ({
  ...found,
  aim: `${what}, at least ${limit}`,
  isMet: found.ratio >= limit,
});

const sizesOf = ({ cells }: Part) => [...new Set(cells.map(({ sizeBytes }) => sizeBytes))];

export function find(
  cells: readonly Cell[],
  target: string,
  shape: { sizeBytes: number; inFlight: number },
): Cell | null {
  const isIt = (cell: Cell) =>
    cell.target === target && cell.sizeBytes === shape.sizeBytes && cell.inFlight === shape.inFlight;
  return cells.find(isIt) ?? null;
}
