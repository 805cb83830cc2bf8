import { expect, it } from '@jest/globals';
import { demoServers } from '../../../bin/start/demo-content.ts';

/** Seen for the demo's own servers on a busy machine. */
const busySeconds = 30;

it('servers of the demo may start five times as slowly as they did on a busy machine', () => {
  expect(demoServers.length).toBeGreaterThan(0);
  for (const { name, start_seconds } of demoServers) {
    expect({ name, isEnough: (start_seconds ?? 0) >= 5 * busySeconds }).toEqual({ name, isEnough: true });
  }
});
