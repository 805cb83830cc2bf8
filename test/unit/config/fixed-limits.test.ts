import { describe, expect, it } from '@jest/globals';
import { apiConfig } from '../../../config/api.ts';
import { testConfig, testEnvironment } from '../../support/api.ts';
import { defaultLimits, limitsWith } from '../../support/limits.ts';

describe('limits that no variable sets', () => {
  it('are the same whatever the environment says', () => {
    const given = { LIMIT_BODY_BYTES: '1', LIMIT_EVENT_STREAMS_PER_USER: '1' };
    expect(apiConfig.parse(testEnvironment(given))).toMatchObject({
      LIMIT_BODY_BYTES: 1024 * 1024,
      LIMIT_EVENT_STREAMS_PER_USER: 40,
    });
    // A test gives them to the parsed configuration.
    expect(testConfig(given)).toMatchObject({ LIMIT_BODY_BYTES: 1, LIMIT_EVENT_STREAMS_PER_USER: 1 });
  });

  it('grow with the setting that would be useless without them, and do not shrink with it', () => {
    const rates = (limits: typeof defaultLimits) => [
      limits.RATE_SESSION_EVENTS_PER_MINUTE,
      limits.RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE,
      limits.RATE_SESSION_REQUESTS_PER_MINUTE,
    ];
    expect(rates(defaultLimits)).toEqual([600, 120, 6000]);
    expect(rates(limitsWith({ RATE_SESSION_CALLS_PER_MINUTE: '60' }))).toEqual([600, 120, 6000]);
    expect(rates(limitsWith({ RATE_SESSION_CALLS_PER_MINUTE: '1500' }))).toEqual([1500, 300, 15_000]);
    expect(limitsWith({ LIMIT_USER_CONCURRENT_REQUESTS: '1' }).LIMIT_USER_WAITING_REQUESTS).toBe(100);
    expect(limitsWith({ LIMIT_USER_CONCURRENT_REQUESTS: '8' }).LIMIT_USER_WAITING_REQUESTS).toBe(200);
    expect(limitsWith({ LIMIT_EVENT_STREAMS_PER_PROCESS: '100' }).LIMIT_EVENT_STREAMS_PER_USER).toBe(40);
    expect(limitsWith({ LIMIT_EVENT_STREAMS_PER_PROCESS: '5000' }).LIMIT_EVENT_STREAMS_PER_USER).toBe(100);
  });

  it('let a file of a preview be as large as the preview', () => {
    for (const bytes of [1000, 4_000_000]) {
      expect(limitsWith({ LIMIT_PREVIEW_BYTES: String(bytes) }).LIMIT_PREVIEW_FILE_BYTES).toBe(bytes);
    }
  });
});
