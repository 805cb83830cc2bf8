import { expect, it } from '@jest/globals';
import { healthOf } from '../../../web/src/pages/catalog/health-text.ts';

const check = {
  ...({ id: 'c', status: 'completed', entry_version: 2, reason: null } as const),
  ...{ created_at: '2026-11-02T00:00:00Z', handshake_ms: 1900 },
};
const unused = { count: 0, failed: 0, last_failed: null };
const failing = { count: 9, failed: 2, last_failed: { session_id: 's', cause: 'exited' } } as const;
const now = { changedTools: 0, version: 2 };

it.each([
  [
    'changed tools first',
    { last_check: check, sessions: failing },
    { ...now, changedTools: 2 },
    'wait',
    '2 tools changed, review',
  ],
  [
    'failures in sessions',
    { last_check: check, sessions: failing },
    now,
    'fail',
    'Failed in 2 of 9 sessions',
  ],
  ['what the check found', { last_check: check, sessions: unused }, now, 'ok', 'Answers in 1.9 s'],
  [
    'why the check failed',
    { last_check: { ...check, status: 'failed', reason: 'The server ended' } as const, sessions: unused },
    now,
    'fail',
    'The server ended',
  ],
  [
    'no check of another version',
    { last_check: check, sessions: unused },
    { ...now, version: 3 },
    'idle',
    'Version 3 is not checked',
  ],
  [
    'sessions without a check',
    { last_check: null, sessions: { ...unused, count: 1 } },
    now,
    'ok',
    'Worked in 1 session',
  ],
  ['that nothing is known', { last_check: null, sessions: unused }, now, 'idle', 'Not used lately'],
] as const)('says %s', (_what, health, entry, tone, text) => {
  expect(healthOf({ id: 'e', ...health }, entry)).toMatchObject({ tone, text });
});
