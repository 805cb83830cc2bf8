import { describe, expect, it } from '@jest/globals';
import type { Preview } from '../../../web/src/api/types.ts';
import {
  contentText,
  hasStopped,
  overAt,
  overWord,
  serviceStateTone,
  serviceStateWord,
  servicesChangeWithinMs,
} from '../../../web/src/text/preview-text.ts';

type Status = NonNullable<Preview['service_status']>;

const status = (state: Status['state']): Status => ({ state, reason: null });
const served = (state: Status['state'] | null, is_live = true) => ({
  service_status: state === null ? null : status(state),
  is_live,
});

describe('what a preview shows', () => {
  it('is a service by its name, or files by their number and size', () => {
    expect(contentText({ service: 'web', files: 0, size_bytes: 0 })).toBe('service web');
    expect(contentText({ service: null, files: 1, size_bytes: 1536 })).toBe('1 file, 1.5 KiB');
    expect(contentText({ service: null, files: 2, size_bytes: 10 })).toBe('2 files, 10 B');
  });
});

describe('a preview that is over', () => {
  const expires_at = '2026-11-26T14:00:00.000Z';
  const earlier = '2026-11-26T13:00:00.000Z';

  it('has failed, was ended before its time, or has expired', () => {
    const files = { service_status: null, expires_at };
    expect(overWord({ ...files, ended_at: earlier })).toBe('ended');
    expect(overWord({ ...files, ended_at: expires_at })).toBe('expired');
    // The worker's sweep has not ended it yet.
    expect(overWord({ ...files, ended_at: null })).toBe('expired');
    expect(overWord({ ended_at: earlier, expires_at, service_status: status('failed') })).toBe('failed');
    expect(overWord({ ended_at: earlier, expires_at, service_status: status('stopped') })).toBe('ended');
  });

  it('is so since it was ended, or else since it expired', () => {
    expect(overAt({ ended_at: earlier, expires_at })).toBe(earlier);
    expect(overAt({ ended_at: null, expires_at })).toBe(expires_at);
  });
});

describe('the service of a preview', () => {
  it.each([
    ['pending', true, 'starting', 'run'],
    ['starting', true, 'starting', 'run'],
    ['running', true, 'running', 'ok'],
    ['pending', false, 'stopping', 'idle'],
    ['starting', false, 'stopping', 'idle'],
    ['running', false, 'stopping', 'idle'],
    ['stopped', false, 'stopped', 'idle'],
    ['failed', true, 'failed', 'fail'],
    ['failed', false, 'failed', 'fail'],
  ] as const)('that is %s, with a preview that is live: %s, is called %s', (state, isLive, word, color) => {
    expect(serviceStateWord(status(state), isLive)).toBe(word);
    expect(serviceStateTone(status(state), isLive)).toBe(color);
  });

  it('has stopped once it failed or was stopped', () => {
    const states = ['pending', 'starting', 'running', 'stopped', 'failed'] as const;
    expect(states.filter((state) => hasStopped(served(state)))).toEqual(['stopped', 'failed']);
    expect(hasStopped(served(null))).toBe(false);
  });

  it('is asked about often while it starts or stops, now and then while it runs, and not for files or after its end', () => {
    const soon = servicesChangeWithinMs([served('pending')]);
    expect(soon).toBeLessThanOrEqual(3000);
    expect(servicesChangeWithinMs([served(null), served('starting')])).toBe(soon);
    expect(servicesChangeWithinMs([served('running'), served('starting')])).toBe(soon);
    expect(servicesChangeWithinMs([served('running', false)])).toBe(soon);
    const later = servicesChangeWithinMs([served(null), served('running')]);
    expect(later).toBeGreaterThan(Number(soon));
    expect(servicesChangeWithinMs([served(null), served('failed', false), served('stopped', false)])).toBe(
      false,
    );
    expect(servicesChangeWithinMs([])).toBe(false);
    expect(servicesChangeWithinMs(undefined)).toBe(false);
  });
});
