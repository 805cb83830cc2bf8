/** The API with sessions, for the tests of one file. */
import { afterAll, beforeAll } from '@jest/globals';
import { type SessionApi, startSessionApi } from './session-api.ts';

/**
 * Starts it before the first test and stops it after the last, with the options of `startSessionApi`. What it
 * returns is filled in by then: it is for hooks that follow, and for tests.
 */
export function useSessionApi(...options: Parameters<typeof startSessionApi>): SessionApi {
  const api: Partial<SessionApi> = {};
  beforeAll(async () => {
    Object.assign(api, await startSessionApi(...options));
  });
  afterAll(() => api.stop?.());
  return api as SessionApi;
}
