/** Which workers count, as they report themselves. */
import { expect, it } from '@jest/globals';
import { keepReporting } from '../../../bin/worker/keep-reporting.ts';
import type { WorkerCapabilities } from '../../../contract/available-runs.ts';
import { listWorkers } from '../../../store/workers/workers.ts';
import { createTestActivities } from '../../support/activities.ts';
import { eventually } from '../../support/eventually.ts';

const capabilities: WorkerCapabilities = {
  ...{ runtime: 'process', sandbox: true, internet: true },
  ...{ commands: null, missing_commands: [], limits: [], claude: false },
};

it('a worker that was killed and is started again is counted once, beside those of other hosts', async () => {
  const { db, dependencies, drop } = await createTestActivities();
  const start = (host: string) => keepReporting({ db, log: dependencies.log }, { host, capabilities });
  const startedAt = async () => (await listWorkers(db)).map(({ started_at }) => started_at);
  const killed = start('one');
  await eventually(async () => expect(await startedAt()).toHaveLength(1));
  const [before] = await startedAt();
  const again = start('one');
  const other = start('two');
  await eventually(async () => {
    const workers = await startedAt();
    expect(workers).toHaveLength(2);
    expect(workers).not.toContain(before);
  });
  await Promise.all([killed, again, other].map(({ stop }) => stop()));
  expect(await listWorkers(db)).toEqual([]);
  await drop();
});
