import { describe, expect, it } from '@jest/globals';
import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/common';
import { endingOfFailure, readable } from '../../../workflows/session-endings.ts';

const failed = (cause: Error, step = 'startWorkload') =>
  new ActivityFailure('Activity task failed', step, '1', 'MAXIMUM_ATTEMPTS_REACHED', 'worker', cause);

describe('a failure as an ending', () => {
  it('repeats a refusal of the platform verbatim', () => {
    const refusal = ApplicationFailure.nonRetryable('secret X is not set', 'launch_refused');
    const ending = { status: 'failed', reason: 'secret X is not set' };
    expect(endingOfFailure(failed(refusal))).toEqual(ending);
    expect(endingOfFailure(refusal)).toEqual(ending);
  });

  it.each([
    new Error('password=hunter2'),
    ApplicationFailure.retryable('password=hunter2', 'Error'),
    new TimeoutFailure('password=hunter2', undefined, 'START_TO_CLOSE'),
  ])('names the step and never what %p said', (cause) => {
    const ending = endingOfFailure(failed(cause));
    expect(ending).toEqual({
      status: 'failed',
      reason:
        'An internal error of the platform: the workload could not be started. The worker’s log has the cause',
    });
  });

  it.each([
    'freezeConfiguration',
    'freezeCheck',
    'validateLaunch',
    'startWorkload',
    'startCheck',
    'stopWorkload',
  ])('never shows people the name of the activity %s', (step) => {
    const { reason } = endingOfFailure(failed(new Error('unexpected'), step));
    expect(reason).toMatch(/^An internal error of the platform: /);
    expect(reason).not.toContain(step);
  });

  it('treats a cancellation as a termination', () => {
    expect(endingOfFailure(new CancelledFailure('cancelled'))).toMatchObject({ status: 'terminated' });
    expect(endingOfFailure(failed(new CancelledFailure('cancelled')))).toMatchObject({
      status: 'terminated',
    });
  });

  it('does not hide a fault of the workflow itself', () => {
    const fault = new TypeError('undefined is not a function');
    expect(() => endingOfFailure(fault)).toThrow(fault);
  });
});

describe('a duration in words', () => {
  it.each([
    [1000, '1 second'],
    [1500, '1.5 seconds'],
    [90_000, '90 seconds'],
    [60_000, '1 minute'],
    [7_200_000, '2 hours'],
  ])('%i ms is %s', (ms, text) => {
    expect(readable(ms)).toBe(text);
  });
});
