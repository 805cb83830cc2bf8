/** A worker that is killed while it starts a session: a real process, and SIGKILL. */
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import { settled } from '../../../runtime/settled.ts';
import type { LaunchSecrets } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import {
  type ContractSessions,
  containerIn,
  node,
  secretsWith,
  secretVariable,
  stays,
} from './driver-under-test.ts';

/** No runtime starts a session within the first; a fast machine may have finished by the last. */
const killedAfterMs = [100, 500, 1500];

export function describeKilledWorkers<Spec>(sessions: ContractSessions<Spec>): void {
  const { driver, runtime, reports, prepare } = sessions;

  async function killedWorker(
    frozen: FrozenConfiguration,
    secrets: LaunchSecrets,
    afterMs: number,
  ): Promise<void> {
    const worker = driver.startInProcess(reports().url, runtime().render(frozen), secrets, afterMs);
    const [, signal] = await once(worker, 'exit');
    expect(signal).toBe('SIGKILL');
  }

  /** For each moment, a session that a worker began and did not finish. */
  async function unfinished(
    check: (frozen: FrozenConfiguration, secrets: LaunchSecrets) => Promise<void>,
  ): Promise<void> {
    // All of them end before the test does, also when one fails.
    await settled(
      killedAfterMs.map(async (afterMs) => {
        const agent = node(`console.log('given ' + [...process.env.MINE].reverse().join('')); ${stays}`);
        const frozen = prepare({
          agent: { ...agent, env: secretVariable('MINE') },
          servers: [serverNamed('one', { env: secretVariable('HIS') })],
        });
        const secrets = secretsWith(frozen.session_id, {
          agentEnv: { MINE: 'its-own-value' },
          serverEnv: { one: { HIS: 'of-the-server' } },
        });
        await killedWorker(frozen, secrets, afterMs);
        await check(frozen, secrets);
      }),
    );
  }

  describe('when a worker is killed while it starts a session', () => {
    it('another one completes the start, once, and each container has its own secrets', async () => {
      const later = await driver.open(reports().url);
      await unfinished(async (frozen, secrets) => {
        const id = frozen.session_id;
        // What the killed worker requested last may still be created, and conflict with the first attempt.
        await eventually(() => later.start(later.render(frozen), secrets));
        const state = await later.inspect(id);
        for (const name of ['sidecar', 'agent', 'mcp-one']) {
          expect(containerIn(state, name)).toMatchObject({ state: 'running' });
        }
        const log = await sessions.logged(id, 'agent', 'given ');
        expect(log.match(/^given .*$/gm)).toEqual(['given eulav-nwo-sti']);
        const ready = expect.objectContaining({ token: secrets.sidecar.internal_token });
        await eventually(() => expect(reports().of(id, 'ready')).toContainEqual(ready));
      });
    });

    it('another one stops it, and nothing is left', async () => {
      const later = await driver.open(reports().url);
      await unfinished(async ({ session_id: id }) => {
        // What the killed worker requested last may still be created; the orphan sweep stops it again.
        await eventually(async () => {
          await later.stop(id);
          expect(await driver.running(id)).toEqual([]);
          expect(await later.inspect(id)).toEqual({ state: 'absent' });
        });
        expect(await later.list()).not.toContain(id);
      });
    });
  });
}
