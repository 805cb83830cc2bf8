/** The tables and the aims, as text. */
import type { Cell } from './rounds.ts';

/** All that was measured with the processes on one core, or wherever the system put them. */
export interface Part {
  cores: 'pinned' | 'unpinned';
  cells: Cell[];
}

const time = (ms: number) => (ms < 1 ? `${Math.round(ms * 1000)} µs` : `${ms.toFixed(ms < 10 ? 2 : 1)} ms`);

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  return [lines[0], '-'.repeat(lines[0]?.length ?? 0), ...lines.slice(1)].join('\n');
}

export function partTable({ cores, cells }: Part): string {
  const shapes = [...new Map(cells.map((cell) => [`${cell.sizeBytes}/${cell.inFlight}`, cell])).values()];
  const header = shapes.flatMap(({ sizeBytes, inFlight }) =>
    inFlight === 1 ? [`${sizeBytes} B p50`, 'p99'] : [`${sizeBytes} B x${inFlight}`],
  );
  const rows = [...new Set(cells.map(({ target }) => target))].map((target) => [
    target,
    ...shapes.flatMap(({ sizeBytes, inFlight }) => {
      const cell = find(cells, target, sizeBytes, inFlight);
      return cell === null ? ['-'] : columnsOf(cell);
    }),
  ]);
  return table([[cores, ...header], ...rows]);
}

function columnsOf({ inFlight, p50Ms, p99Ms, perSecond }: Cell): string[] {
  return inFlight === 1 ? [time(p50Ms), time(p99Ms)] : [`${Math.round(perSecond).toLocaleString('en')}/s`];
}

export function find(
  cells: readonly Cell[],
  target: string,
  sizeBytes: number,
  inFlight: number,
): Cell | null {
  return (
    cells.find(
      (cell) => cell.target === target && cell.sizeBytes === sizeBytes && cell.inFlight === inFlight,
    ) ?? null
  );
}
