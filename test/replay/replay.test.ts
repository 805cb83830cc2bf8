import { beforeAll, describe, expect, it } from '@jest/globals';
import { ReplayError, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { quietRuntime, workflowBundle } from '../support/worker.ts';
import { alterations, bundleAltered } from './altered-workflows.ts';
import { readHistories, recordMissingHistories } from './histories.ts';
import { scenarios } from './scenarios.ts';

quietRuntime();
if (process.env['RECORD_HISTORIES'] !== undefined) {
  await recordMissingHistories();
}

const histories = readHistories();
let bundle: { code: string };

beforeAll(async () => {
  bundle = await workflowBundle();
});

describe('sessions and requests of an earlier version', () => {
  it('are all kept', () => {
    expect(histories.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(scenarios)));
  });

  it.each(histories)('replay: $name', async ({ history }) => {
    await Worker.runReplayHistory({ workflowBundle: bundle }, history);
  });
});

describe('a careless change of a workflow', () => {
  it.each(alterations)('is detected: $what', async (alteration) => {
    const { history } = histories.find(({ name }) => name === alteration.breaks) ?? {};
    const altered = await bundleAltered(alteration);
    const replaying = Worker.runReplayHistory({ workflowBundle: altered }, history);
    await expect(replaying.catch(isOtherHistory)).resolves.toBe(true);
  });
});

/**
 * The SDK has an error of its own where a command of the workflow has no event, and another where an event
 * fits no state of a command.
 */
const isOtherHistory = (error: unknown) =>
  error instanceof DeterminismViolationError ||
  (error instanceof ReplayError && error.message.includes('the transition is invalid during event'));
