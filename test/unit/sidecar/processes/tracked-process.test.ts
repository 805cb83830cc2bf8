/** What a process claims of itself, in any order, and when the agent may start. */
import { describe, expect, it } from '@jest/globals';
import type { ProcessClaim, ProcessKind } from '../../../../contract/session-process.ts';
import { TrackedProcess } from '../../../../sidecar/processes/tracked-process.ts';

const started: ProcessClaim = { type: 'started' };
const ready: ProcessClaim = { type: 'ready' };
const killed: ProcessClaim = { type: 'ended', exit_code: null, signal: 'SIGKILL' };
const ended: ProcessClaim = { type: 'ended', exit_code: 137, signal: null };
const notStarted: ProcessClaim = { type: 'not_started', error: 'ENOENT' };

function processAfter(claims: readonly ProcessClaim[], kind: ProcessKind = 'sibling', saysWhenReady = true) {
  const process = new TrackedProcess(kind, 'db', () => undefined, { saysWhenReady });
  for (const claim of claims) {
    process.take(claim);
  }
  return process;
}

describe('a sibling that says when it is ready', () => {
  it.each<[string, ProcessClaim[], string]>([
    ['is starting when it was started', [started], 'starting'],
    ['is ready when it says so', [started, ready], 'ready'],
    ['is ready again and again', [started, ready, ready], 'ready'],
    ['is ready also when its start was told to an earlier sidecar', [ready], 'ready'],
    ['is never ready after its end', [started, killed, ready], 'ended'],
    ['has failed when it was not started', [notStarted, ready], 'failed'],
  ])('%s', (_, claims, state) => expect(processAfter(claims).snapshot.state).toBe(state));

  it('is not counted as started again when an earlier sidecar was told its start', () => {
    expect(processAfter([ready]).snapshot.starts).toBe(0);
    expect(processAfter([started, ready, ready]).snapshot.starts).toBe(1);
  });

  it('ended as it was told first: who tells it later knows less', () => {
    expect(processAfter([started, killed, ended]).snapshot).toMatchObject({
      exit_code: null,
      signal: 'SIGKILL',
    });
    expect(processAfter([notStarted, ended]).snapshot).toMatchObject({ state: 'failed', exit_code: null });
    expect(processAfter([started, ended, started, killed]).snapshot).toMatchObject({
      signal: 'SIGKILL',
      starts: 2,
    });
  });

  it('keeps that it was not ready in time, also when the platform ended it for that', () => {
    const process = processAfter([started]);
    process.notReadyInTime();
    process.take({ type: 'ended', exit_code: null, signal: 'SIGTERM' });
    process.take(ready);
    expect(process.snapshot).toMatchObject({ state: 'failed', cause: 'not_ready_in_time', signal: null });
  });

  it.each<[string, ProcessClaim[], string]>([
    ['is ready', [started, ready], 'ready'],
    ['has ended', [started, killed], 'ended'],
  ])('that %s by then is not too late', (_, claims, state) => {
    const process = processAfter(claims);
    process.notReadyInTime();
    expect(process.snapshot).toMatchObject({ state, cause: null });
  });

  it('is waited for until it is ready or has ended', async () => {
    const process = processAfter([started]);
    const ending = process.endBeforeReady();
    process.take(ready);
    expect(await ending).toBeNull();
    expect(await processAfter([started, ended]).endBeforeReady()).toEqual(ended);
    expect(await processAfter([notStarted]).endBeforeReady()).toEqual(notStarted);
    expect(await processAfter([started, ready, ended]).endBeforeReady()).toEqual(ended);
  });
});

it.each<ProcessKind>(['agent', 'sibling'])(
  'a process of kind %s that does not say it is ready once started',
  (kind) => {
    expect(processAfter([started], kind, false).snapshot.state).toBe('ready');
    expect(processAfter([ready], kind, false).snapshot.state).toBe('not_started');
  },
);

it('a server is not ready by its own word', () => {
  expect(processAfter([started, ready], 'server', false).snapshot.state).toBe('not_started');
});
