/** What anybody asks of the API without signing in costs it little, however often they ask. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
/** Statements that the API sent to its database. */
let statements = 0;

beforeAll(async () => {
  api = await startTestApi({ RATE_SIGN_IN_PER_MINUTE: '40' });
  api.db.on('query', () => {
    statements += 1;
  });
});
afterAll(() => api.stop());

async function askOften(path: string, count: number): Promise<{ statuses: Set<number>; perSecond: number }> {
  statements = 0;
  const startedMs = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, () => api.anonymous.send('GET', path)));
  const seconds = Math.ceil((performance.now() - startedMs) / 1000);
  return { statuses: new Set(answers.map(({ status }) => status)), perSecond: statements / (seconds + 1) };
}

it('a thousand questions for its health are answered with one statement a second', async () => {
  const { statuses, perSecond } = await askOften('/api/health', 1000);
  expect([...statuses]).toEqual([200]);
  expect(perSecond).toBeLessThanOrEqual(1);
});

it('other questions are refused beyond the rate of their address, and health is not', async () => {
  const { statuses, perSecond } = await askOften('/api/auth/options', 100);
  expect([...statuses].toSorted()).toEqual([200, 429]);
  expect(perSecond).toBeLessThanOrEqual(1);
  const refused = await api.anonymous.send('GET', '/api/auth/options');
  expect(refused).toMatchObject({
    status: 429,
    body: { error: { message: 'The limit is 40 requests a minute per address without signing in' } },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await api.anonymous.send('GET', '/api/health')).toMatchObject({ status: 200 });
});
