import { describe, expect, it } from '@jest/globals';
import { aimsReached, type Part } from '../../../bench/gate/aims.ts';
import type { Cell } from '../../../bench/gate/rounds.ts';

const cell = (target: string, inFlight: number, figures: Partial<Cell>): Cell => ({
  ...{ target, sizeBytes: 300, inFlight, p50Ms: 1, p99Ms: 1, perSecond: 1, cpuMsPerCall: null, calls: 1 },
  ...figures,
});
const pinned = ({ pingMs, callMs, cpuMs }: { pingMs: number; callMs: number; cpuMs: number }): Part => ({
  cores: 'pinned',
  cells: [
    cell('direct', 1, { p50Ms: 1 }),
    cell('socat', 1, { p50Ms: 3 }),
    cell('sidecar-ping', 1, { p50Ms: pingMs }),
    cell('sidecar', 1, { p50Ms: callMs }),
    cell('supergateway', 1, { p50Ms: 101 }),
    cell('socat', 64, { perSecond: 1000 }),
    cell('sidecar-ping', 64, { cpuMsPerCall: 2 }),
    cell('sidecar', 64, { perSecond: 10, cpuMsPerCall: cpuMs }),
  ],
});
const unpinned = (small: number, large: number): Part => ({
  cores: 'unpinned',
  cells: [
    ...[300, 10_000, 77].map((sizeBytes) => cell('socat', 64, { sizeBytes, perSecond: 1000 })),
    cell('sidecar', 64, { sizeBytes: 300, perSecond: small }),
    cell('sidecar', 64, { sizeBytes: 10_000, perSecond: large }),
    cell('sidecar', 64, { sizeBytes: 77, perSecond: 1 }),
  ],
});
const memoryOf = (idle: number, afterCalls: number) => ({
  node: { rssBytes: 100, pssBytes: 1 },
  sidecar: { rssBytes: idle, pssBytes: 1 },
  sidecarAfterCalls: { rssBytes: afterCalls, pssBytes: 1 },
  calls: 100_000,
});
const besideOthers = (text: number, smallValues: number) =>
  (['text', 'small values'] as const).flatMap((content) => [
    { target: 'socat', content, aloneP99Ms: 1, besideP99Ms: 100, linesPerSecond: 1 },
    {
      ...{ target: 'sidecar', content, aloneP99Ms: 2, linesPerSecond: 1 },
      besideP99Ms: content === 'text' ? text : smallValues,
    },
  ]);

describe('the aims of the gate bench', () => {
  it('are compared with the figures of the same run, each where it is stated', () => {
    const reached = aimsReached({
      parts: [pinned({ pingMs: 5, callMs: 7, cpuMs: 3 }), unpinned(600, 750)],
      neighbour: besideOthers(4, 6),
      memory: memoryOf(140, 170),
    });
    expect(reached).toEqual(
      [
        { aim: "latency that a call adds / a ping's, at most 1.5", where: 'pinned, 300 B', ratio: 1.5 },
        { aim: "latency that a ping adds / socat's, at most 2", where: 'pinned, 300 B', ratio: 2 },
        {
          aim: "processor time of a call, 64 in flight / a ping's, at most 1.5",
          where: 'pinned, 300 B',
          ratio: 1.5,
        },
        {
          aim: "calls a second, 64 in flight / socat's, at least 0.6",
          where: 'unpinned, 300 B',
          ratio: 0.6,
        },
        {
          aim: "calls a second, 64 in flight / socat's, at least 0.75",
          where: 'unpinned, 10000 B',
          ratio: 0.75,
        },
        { aim: 'idle sidecar / idle node, at most 1.4', where: 'RSS', ratio: 1.4 },
        { aim: 'sidecar after 100,000 calls / idle node, at most 1.7', where: 'RSS', ratio: 1.7 },
        { aim: 'p99 beside lines of text / alone, at most 2', where: 'unpinned', ratio: 2 },
        { aim: 'p99 beside lines of small values / alone, at most 3', where: 'unpinned', ratio: 3 },
      ].map((each) => ({ ...each, isMet: true })),
    );
  });

  it('reports which are missed', () => {
    const reached = aimsReached({
      parts: [pinned({ pingMs: 5.1, callMs: 8, cpuMs: 3.1 }), unpinned(590, 740)],
      neighbour: besideOthers(4.1, 6.1),
      memory: memoryOf(141, 171),
    });
    expect(reached.map(({ isMet }) => isMet)).toEqual(Array(9).fill(false));
  });

  it('leaves out what was not measured', () => {
    const onlySocat = { cores: 'pinned' as const, cells: [cell('direct', 1, {}), cell('socat', 1, {})] };
    expect(aimsReached({ parts: [onlySocat], neighbour: [], memory: null })).toEqual([]);
  });
});
