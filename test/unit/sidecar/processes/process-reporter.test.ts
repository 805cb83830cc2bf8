/** Reports about processes, and what of them has arrived once a sidecar has closed. */
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { ProcessReport } from '../../../../contract/session-process.ts';
import { createProcessReporter } from '../../../../sidecar/processes/process-reporter.ts';
import { TrackedProcess } from '../../../../sidecar/processes/tracked-process.ts';
import { eventually } from '../../../support/eventually.ts';

/** A platform that answers a report when the test says so. */
function start() {
  const reports: { body: ProcessReport; settle: (error?: Error) => void }[] = [];
  const reportProcess = (body: ProcessReport) =>
    new Promise<void>((resolve, reject) => {
      reports.push({ body, settle: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  const reporter = createProcessReporter({ reportProcess }, pino({ level: 'silent' }));
  const process = new TrackedProcess('server', 'files', (isUrgent) => reporter.changed(process, isUrgent));
  return { reports, reporter, process };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('has finished once the report that was on its way is answered', async () => {
  const { reports, reporter, process } = start();
  reporter.changed(process, true);
  expect(reports).toHaveLength(1);
  let hasFinished = false;
  const finished = reporter.finish(60_000).then(() => {
    hasFinished = true;
  });
  await turn();
  expect(hasFinished).toBe(false);
  reports[0]?.settle();
  await finished;
  expect(reports).toHaveLength(1);
});

it('sends again, as it finishes, a report whose connection was closed', async () => {
  const { reports, reporter, process } = start();
  reporter.changed(process, true);
  const finished = reporter.finish(60_000);
  reports[0]?.settle(new Error('the connection was closed'));
  await eventually(() => expect(reports).toHaveLength(2));
  reports[1]?.settle();
  await finished;
  expect(reports.map(({ body }) => body.revision)).toEqual([1, 2]);
});

it('gives up after its time limit', async () => {
  const { reports, reporter, process } = start();
  reporter.changed(process, true);
  const finished = reporter.finish(50);
  await finished;
  expect(reports).toHaveLength(1);
});
