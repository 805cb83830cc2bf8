import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { checkAuthorization } from '../../../activities/authorizations/authorizations.ts';
import { openAuthorization } from '../../../commands/oauth-authorizations/authorizations.ts';
import { emptyManifest } from '../../../contract/catalog.ts';
import { readRegistrationOf } from '../../../store/mcp-registrations/registrations.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';

let activities: TestActivities;
beforeAll(async () => {
  activities = await createTestActivities();
});
afterAll(() => activities.drop());

const hourMs = 3_600_000;

it.each([hourMs, -hourMs])('a worker whose clock is %i ms off waits as long as any other', async (offMs) => {
  const { db } = activities;
  const tenant = await activities.tenant();
  const shape = { type: 'remote', url: 'https://127.0.0.1:1/mcp' } as const;
  const { id: entryId } = await tenant.server('remote', emptyManifest, { shape });
  const registration = await readRegistrationOf(db, entryId);
  const opened = await openAuthorization(db, null, {
    registrationId: registration?.id ?? '',
    userId: tenant.max.id,
    scopes: [],
    missingScopes: null,
    expirySeconds: 600,
  });
  const authorizationId = opened.result === 'opened' ? opened.id : '';
  const nowMs = Date.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(nowMs + offMs);
  try {
    const state = await checkAuthorization(activities.dependencies, { authorizationId });
    expect(state?.status).toBe('pending');
    expect(state?.remainingMs).toBeGreaterThan(500_000);
    expect(state?.remainingMs).toBeLessThanOrEqual(600_000);
  } finally {
    clock.mockRestore();
  }
});
