import { describe, expect, it } from '@jest/globals';
import { removalText } from '../../../web/src/text/removal-text.ts';

describe('what goes with an agent', () => {
  it.each([
    [
      { sessions: 1, artifacts: 1, permission_requests: 1, grants: 1, schedules: 1 },
      '1 session with its transcript, 1 file handed out, 1 permission request and 1 grant. 1 schedule pauses',
    ],
    [
      { sessions: 3, artifacts: 0, permission_requests: 2, grants: 4, schedules: 2 },
      '3 sessions with their transcripts, 0 files handed out, 2 permission requests and 4 grants. 2 schedules pause',
    ],
    [
      { sessions: 0, artifacts: 0, permission_requests: 0, grants: 0, schedules: 0 },
      '0 sessions with their transcripts, 0 files handed out, 0 permission requests and 0 grants',
    ],
  ])('is counted in words: %j', (counts, text) => {
    expect(removalText(counts)).toBe(text);
  });
});
