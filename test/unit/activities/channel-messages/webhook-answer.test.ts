import { describe, expect, it } from '@jest/globals';
import { verdictOfError, verdictOfStatus } from '../../../../activities/channel-messages/webhook-answer.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const verdict = (status: number, retryAfter?: string) => verdictOfStatus(status, retryAfter, now);

describe('the answer of a webhook', () => {
  it.each([200, 201, 204])('with %i means that the message is there', (status) => {
    expect(verdict(status)).toEqual({ kind: 'delivered' });
  });

  it.each([300, 304, 400, 401, 403, 404, 410, 413])('with %i is final', (status) => {
    expect(verdict(status)).toEqual({ kind: 'failed', failure: 'rejected' });
  });

  it.each([408, 425, 500, 502, 503, 504, 599])('with %i is tried again', (status) => {
    expect(verdict(status)).toEqual({ kind: 'try_again', failure: 'receiver_failed', afterMs: null });
  });

  it.each([
    [undefined, null],
    ['3', 3000],
    ['0', 1000],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 1000],
    ['86400', 600_000],
    ['999999999', 600_000],
    ['soon', null],
    ['-1', null],
    ['1e3', null],
  ])('with 429 and Retry-After %j is tried again after %j ms', (header, afterMs) => {
    const expected = { kind: 'try_again', failure: 'rate_limited' };
    const found = verdict(429, header);
    expect(found).toEqual({ ...expected, afterMs });
  });
});

it('a request that is refused by the platform itself is final, and one that fails is tried again', () => {
  expect(verdictOfError('address_refused')).toEqual({ kind: 'failed', failure: 'address_refused' });
  expect(verdictOfError('insecure')).toEqual({ kind: 'failed', failure: 'address_refused' });
  expect(verdictOfError('redirect_refused')).toEqual({ kind: 'failed', failure: 'redirected' });
  expect(verdictOfError('timed_out')).toMatchObject({ kind: 'try_again', failure: 'timed_out' });
  for (const code of ['unreachable', 'connection_refused', 'tls_failed', 'invalid_response'] as const) {
    expect(verdictOfError(code)).toMatchObject({ kind: 'try_again', failure: 'unreachable' });
  }
});
