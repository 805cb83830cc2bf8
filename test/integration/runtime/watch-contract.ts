/** Hints at changes of workloads, as every driver gives them. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exitOf } from '../../../activities/workloads/workload-exit.ts';
import { eventually } from '../../support/eventually.ts';
import { type ContractSessions, containerIn, node, stays } from './driver-under-test.ts';

const closely = { everyMs: 10 };

export function describeWatch<Spec>(sessions: ContractSessions<Spec>): void {
  const { driver, runtime, reports, prepare, start } = sessions;

  describe('its watch', () => {
    let hints: string[];
    let stop: () => void;
    beforeEach(() => {
      hints = [];
      stop = runtime().watch((sessionId) => hints.push(sessionId));
    });
    afterEach(() => stop());

    /** Resolves at a hint at which the session is as wanted: later hints are not needed. */
    const hintedAt = (sessionId: string, isWanted: () => Promise<boolean>) =>
      eventually(async () => {
        if (!hints.includes(sessionId)) {
          throw new Error('no hint came');
        }
        hints.length = 0;
        expect(await isWanted()).toBe(true);
      }, closely);
    const exit = async (sessionId: string) => exitOf(await runtime().inspect(sessionId), 0)?.kind;

    it('hints at the exit of an agent', async () => {
      const exitsLater = node(`setTimeout(() => process.exit(3), 3000)`);
      const id = await start(prepare({ agent: exitsLater }));
      expect(containerIn(await runtime().inspect(id), 'agent')).toMatchObject({ state: 'running' });
      hints.length = 0;
      await hintedAt(id, async () => (await exit(id)) === 'agent_exited');
    });

    it('hints at the loss of what a session cannot run without', async () => {
      const id = await start(prepare({ agent: node(stays) }));
      await eventually(() => expect(reports().of(id, 'ready')).toHaveLength(1));
      hints.length = 0;
      await driver.lose(id);
      await hintedAt(id, async () => ['workload_lost', 'sidecar_lost'].includes((await exit(id)) ?? ''));
    });

    it('hints at sessions that another worker started, and at those that are there when it begins', async () => {
      const id = await start(prepare({ agent: node(stays) }));
      const later = await driver.open(reports().url);
      const seen: string[] = [];
      const stopLater = later.watch((sessionId) => seen.push(sessionId));
      try {
        await eventually(() => expect(seen).toContain(id), closely);
        seen.length = 0;
        await runtime().stop(id);
        await eventually(() => expect(seen).toContain(id), closely);
      } finally {
        stopLater();
      }
    });
  });
}
