import { expect, it } from '@jest/globals';
import type { McpCheck } from '../../../web/src/api/types.ts';
import { checkSteps } from '../../../web/src/pages/catalog/check/check-steps.ts';

const begun = '2026-12-01T10:00:00.000Z';
const after = (ms: number) => new Date(Date.parse(begun) + ms).toISOString();
const process = {
  ...({ state: 'starting', exit_code: null, signal: null, cause: null, handshake_ms: null } as const),
  ...{ starts: 1, output_size_bytes: null, faults: [] },
};
const check: McpCheck = {
  ...{ id: 'c', mcp_server: { id: 'e', name: 'files', version: 1 }, status: 'pending', reason: null },
  ...{ started_by: 'u', created_at: begun, started_at: null, ended_at: null, process: null, listing: null },
};
const listing = { outcome: 'listed', tools: [], left_out: 0, is_cut: false, list_ms: 40 } as const;

const shown = (of: Partial<McpCheck>, afterMs: number) =>
  checkSteps({ ...check, ...of }, Date.parse(after(afterMs))).map(({ state, durationMs }) => [
    state,
    durationMs,
  ]);

it.each([
  [
    'begins with the sandbox',
    {},
    1500,
    [
      ['current', 1500],
      ['ahead', null],
      ['ahead', null],
    ],
  ],
  [
    'counts from the start of the sandbox until the first answer',
    { status: 'running', started_at: after(2000), process },
    9000,
    [
      ['done', 2000],
      ['current', 7000],
      ['ahead', null],
    ],
  ],
  [
    'then lists the tools',
    { status: 'running', started_at: after(2000), process: { ...process, handshake_ms: 800 } },
    9000,
    [
      ['done', 2000],
      ['done', 800],
      ['current', null],
    ],
  ],
  [
    'ends where it ended',
    { status: 'failed', started_at: after(2000), ended_at: after(5000), process },
    99_000,
    [
      ['done', 2000],
      ['failed', 3000],
      ['ahead', null],
    ],
  ],
  [
    'is done',
    {
      status: 'completed',
      started_at: after(2000),
      ended_at: after(5000),
      process: { ...process, handshake_ms: 800 },
      listing: { ...listing, tools: [] },
    },
    99_000,
    [
      ['done', 2000],
      ['done', 800],
      ['done', 40],
    ],
  ],
] as const)('a check %s', (_what, of, afterMs, steps) => {
  expect(shown(of as Partial<McpCheck>, afterMs)).toEqual(steps);
});
