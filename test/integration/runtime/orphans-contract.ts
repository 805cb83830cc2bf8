/** Orphaned workloads are found on the runtime, and stopped. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { stopOrphans } from '../../../activities/workloads/stop-orphans.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';
import { type ContractSessions, containerIn } from './driver-under-test.ts';

export function describeOrphans<Spec>({ driver, reports, prepare, start }: ContractSessions<Spec>): void {
  describe('the search for orphaned workloads', () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await createTestDatabase();
    });
    afterAll(() => database.drop());

    it('stops those whose session has ended or is unknown, and leaves the others running', async () => {
      const { db } = database;
      // A freshly started worker, on a runtime without leftovers of other tests: it
      // stops what others started.
      const runtime = await driver.open(reports().url);
      await Promise.all(
        (await runtime.list()).map(async (id) => {
          await runtime.stop(id);
          expect(await driver.running(id)).toEqual([]);
        }),
      );
      const tenant = await createTenant(db, testMasterKeys());
      const agent = await tenant.agent();
      const [wanted, ended] = [await tenant.session(agent), await tenant.session(agent)];
      await moveSession(db, ended.id, { to: 'failed', reason: 'lost' });
      const unknown = prepare();
      await Promise.all([
        ...[wanted, ended].map(({ id }) => start(prepare({ session_id: id }))),
        start(unknown),
      ]);
      const orphans = [ended.id, unknown.session_id];

      expect((await runtime.list()).sort()).toEqual([wanted.id, ...orphans].sort());
      const log = pino({ level: 'silent' });
      expect((await stopOrphans({ db, runtime, log })).sort()).toEqual([...orphans].sort());
      for (const id of orphans) {
        expect(await runtime.inspect(id)).toEqual({ state: 'absent' });
        expect(await driver.running(id)).toEqual([]);
      }
      expect(await runtime.list()).toEqual([wanted.id]);
      for (const name of ['sidecar', 'agent']) {
        expect(containerIn(await runtime.inspect(wanted.id), name)).toMatchObject({ state: 'running' });
      }
      expect(await stopOrphans({ db, runtime, log })).toEqual([]);
    });
  });
}
