import { describe, expect, it } from '@jest/globals';
import type { LaunchTimes } from '../../../bench/launch/launch-target.ts';
import { kindOf } from '../../../bench/launch/process-kind.ts';
import { aimsOf, type Results } from '../../../bench/launch/report.ts';

const times = (tookMs: number, failed = 0): LaunchTimes[] => [{ tookMs, failed }];
const nothing: Results = {
  pairs: { platform: [], bare: [] },
  atOnce: { count: 0, rounds: { platform: [], bare: [] } },
  memory: null,
};

describe('the aims of the launch bench', () => {
  it('leave out what was not measured', () => {
    expect(aimsOf(nothing)).toEqual([]);
  });

  it('are met at their limits', () => {
    const aims = aimsOf({
      pairs: { platform: times(300), bare: times(200) },
      atOnce: { count: 50, rounds: { platform: times(3000), bare: times(2000) } },
      memory: { sidecar: { processes: 1, pssBytes: 120e6 }, own: { processes: 9, pssBytes: 900e6 } },
    });
    expect(aims.map(({ reached, isMet }) => [reached, isMet])).toEqual([
      [1.5, true],
      [1.5, true],
      [0, true],
      [120, true],
    ]);
  });

  it('are missed when one of many launches fails, or memory could not be read', () => {
    const aims = aimsOf({
      ...nothing,
      atOnce: { count: 50, rounds: { platform: times(1000, 1), bare: times(2000) } },
      memory: { sidecar: { processes: 1, pssBytes: Number.NaN } },
    });
    expect(aims.map(({ isMet }) => isMet)).toEqual([true, false, false]);
  });
});

describe('the kind of a process of a session', () => {
  it.each([
    ['session host', ['/usr/bin/node', '/opt/dist/session-host.js']],
    ['sidecar', ['/usr/bin/node', '--max-semi-space-size=1', '/opt/dist/sidecar.js']],
    ['sandbox helpers', ['bwrap', '--args', '3']],
    ['sandbox helpers', ['unshare', '--mount', '--', 'slirp4netns']],
    ['relays', ['/opt/platform/bin/relay', '-', 'UNIX-CONNECT:/run/platform/mcp/files.sock']],
    ['relays', ['/usr/bin/node', '/opt/dist/relay.js', '-']],
    ['own', ['/usr/bin/node', '/opt/platform/bin/scripted-agent.js']],
  ])('is told by its command line: %s', (kind, argv) => {
    expect(kindOf(argv)).toBe(kind);
  });
});
