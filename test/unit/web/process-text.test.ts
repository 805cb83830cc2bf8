import { describe, expect, it } from '@jest/globals';
import type { SessionProcess } from '../../../web/src/api/types.ts';
import {
  processFacts,
  processStateTone,
  processStateWord,
} from '../../../web/src/pages/sessions/process-text.ts';

const server: SessionProcess = {
  kind: 'server',
  name: 'files',
  state: 'ready',
  exit_code: null,
  signal: null,
  cause: null,
  handshake_ms: null,
  starts: 1,
  ready_limit_seconds: null,
  updated_at: null,
  output_size_bytes: null,
  faults: [],
};

describe('a process in the panel', () => {
  it.each([
    ['not_started', 'not started', 'idle'],
    ['starting', 'starting', 'run'],
    ['ready', 'ready', 'ok'],
    ['failed', 'failed', 'fail'],
    ['ended', 'ended', 'idle'],
  ] as const)('that is %s says so', (state, word, color) => {
    expect(processStateWord({ ...server, state })).toBe(word);
    expect(processStateTone({ ...server, state })).toBe(color);
  });

  it('that responds to nobody counts as running once it was started', () => {
    expect(processStateWord({ kind: 'agent', state: 'ready' })).toBe('running');
    expect(processStateWord({ kind: 'sibling', state: 'ready' })).toBe('running');
  });

  it('says how often it started, how long its handshake took, and how it ended', () => {
    expect(processFacts(server)).toBe('');
    expect(processFacts({ ...server, starts: 3, handshake_ms: 420, exit_code: 3 })).toBe(
      'started 3 times, answered in 0.4 s, last ended with exit code 3',
    );
    expect(processFacts({ ...server, exit_code: 0 })).toBe('last ended with exit code 0');
    expect(processFacts({ ...server, signal: 'SIGKILL' })).toBe('last ended with SIGKILL');
  });

  it('says of a sibling that was not ready in time what its limit was, and not how the platform ended it', () => {
    const late = { ...server, kind: 'sibling', state: 'failed', cause: 'not_ready_in_time' } as const;
    expect(processFacts({ ...late, ready_limit_seconds: 90 })).toBe('was not ready within 90 seconds');
    expect(processFacts({ ...late, ready_limit_seconds: 90, signal: 'SIGTERM' })).toBe(
      'was not ready within 90 seconds',
    );
    expect(processFacts(late)).toBe('was not ready in time');
  });
});
