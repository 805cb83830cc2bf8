import { describe, expect, it } from '@jest/globals';
import { aimsReached, type Part } from '../../../bench/gate/aims.ts';
import type { Cell } from '../../../bench/gate/rounds.ts';

const cell = (target: string, inFlight: number, figures: { p50Ms?: number; perSecond?: number }): Cell => ({
  ...{ target, sizeBytes: 300, inFlight, p50Ms: 1, p99Ms: 1, perSecond: 1, cpuMsPerCall: null, calls: 1 },
  ...figures,
});
const part = (sidecarMs: number, sidecarPerSecond: number): Part => ({
  cores: 'pinned',
  cells: [
    cell('direct', 1, { p50Ms: 1 }),
    cell('socat', 1, { p50Ms: 3 }),
    cell('sidecar', 1, { p50Ms: sidecarMs }),
    cell('supergateway', 1, { p50Ms: 101 }),
    cell('socat', 64, { perSecond: 1000 }),
    cell('sidecar', 64, { perSecond: sidecarPerSecond }),
  ],
});
const memoryOf = (sidecar: number) => ({
  node: { rssBytes: 100, pssBytes: 1 },
  sidecar: { rssBytes: sidecar, pssBytes: 1 },
  sidecarAfterCalls: { rssBytes: 900, pssBytes: 1 },
  calls: 1,
});
const besideOthers = (besideP99Ms: number) =>
  (['text', 'small values'] as const).flatMap((content) => [
    { target: 'socat', content, aloneP99Ms: 1, besideP99Ms: 100, linesPerSecond: 1 },
    { target: 'sidecar', content, aloneP99Ms: 2, besideP99Ms, linesPerSecond: 1 },
  ]);

describe('the aims of the gate bench', () => {
  it('compares the overhead over a direct socket, calls per second, the neighbour and memory', () => {
    const reached = aimsReached({
      parts: [part(3, 750)],
      neighbour: besideOthers(6),
      memory: memoryOf(125),
    });
    expect(reached.map(({ ratio, isMet }) => [ratio, isMet])).toEqual([
      [1, true],
      [0.02, true],
      [0.75, true],
      [3, true],
      [3, true],
      [1.25, true],
    ]);
  });

  it('reports which are missed', () => {
    const results = { parts: [part(5, 740)], neighbour: besideOthers(7), memory: memoryOf(126) };
    const reached = aimsReached(results);
    expect(reached.map(({ isMet }) => isMet)).toEqual(Array(6).fill(false));
  });

  it('leaves out what was not measured', () => {
    const onlySocat = { cores: 'pinned' as const, cells: [cell('direct', 1, {}), cell('socat', 1, {})] };
    expect(aimsReached({ parts: [onlySocat], neighbour: [], memory: null })).toEqual([]);
  });
});
