/** Everything that was measured, as text. */
import { machineLine, table } from '../shared/harness.ts';
import { aimsReached, find, type Part, type Results } from './aims.ts';
import type { MemoryResult } from './memory.ts';
import type { NeighbourResult } from './neighbour.ts';
import type { Cell } from './rounds.ts';

export function reportOf(results: Results): string {
  return [
    ...results.parts.map(partTable),
    ...(results.neighbour.length > 0 ? [neighbourTable(results.neighbour)] : []),
    ...(results.memory ? [memoryTable(results.memory)] : []),
    aimsTable(results),
    machineLine(),
  ].join('\n\n');
}

function partTable({ cores, cells }: Part): string {
  const shapes = [...new Map(cells.map((cell) => [`${cell.sizeBytes}/${cell.inFlight}`, cell])).values()];
  const header = shapes.flatMap(({ sizeBytes, inFlight }) =>
    inFlight === 1
      ? [`${sizeBytes} B p50`, 'p99', 'CPU/call']
      : [`${sizeBytes} B, ${inFlight} at a time`, 'CPU/call'],
  );
  const rows = [...new Set(cells.map(({ target }) => target))].map((target) => [
    target,
    ...shapes.flatMap((shape) => columnsOf(find(cells, target, shape), shape.inFlight)),
  ]);
  return table([[cores, ...header], ...rows]);
}

function columnsOf(cell: Cell | null, inFlight: number): string[] {
  if (cell === null) {
    return inFlight === 1 ? ['', '', ''] : ['', ''];
  }
  const cpu = cell.cpuMsPerCall === null || Number.isNaN(cell.cpuMsPerCall) ? '' : time(cell.cpuMsPerCall);
  return inFlight === 1
    ? [time(cell.p50Ms), time(cell.p99Ms), cpu]
    : [`${Math.round(cell.perSecond).toLocaleString('en')}/s`, cpu];
}

function neighbourTable(results: readonly NeighbourResult[]): string {
  return table([
    ['neighbour (unpinned)', 'of', 'p99 alone', 'p99 beside it', 'ratio', '1 MB lines'],
    ...results.map(({ target, content, aloneP99Ms, besideP99Ms, linesPerSecond }) => [
      target,
      content,
      time(aloneP99Ms),
      time(besideP99Ms),
      (besideP99Ms / aloneP99Ms).toFixed(2),
      `${linesPerSecond.toFixed(0)}/s`,
    ]),
  ]);
}

function memoryTable({ node, sidecar, sidecarAfterCalls, calls }: MemoryResult): string {
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const rows = [
    ['idle node', node] as const,
    ['idle sidecar', sidecar] as const,
    [`sidecar after ${calls.toLocaleString('en')} calls`, sidecarAfterCalls] as const,
  ];
  return table([
    ['memory', 'RSS', 'PSS', 'RSS / node'],
    ...rows.map(([name, { rssBytes, pssBytes }]) => [
      name,
      mebibytes(rssBytes),
      mebibytes(pssBytes),
      (rssBytes / node.rssBytes).toFixed(2),
    ]),
  ]);
}

function aimsTable(results: Results): string {
  return table([
    ['aim', 'where', 'reached', ''],
    ...aimsReached(results).map(({ aim, where, ratio, isMet }) => [
      aim,
      where,
      ratio.toFixed(ratio < 0.1 ? 4 : 2),
      isMet ? 'met' : 'MISSED',
    ]),
  ]);
}

const time = (ms: number) => (ms < 1 ? `${Math.round(ms * 1000)} µs` : `${ms.toFixed(ms < 10 ? 2 : 1)} ms`);
