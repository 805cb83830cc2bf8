/** Whoever reaches the previews' domain asks as often as they like, until their address is refused. */
import { request } from 'node:http';
import { expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';

it('requests for previews are limited by address', async () => {
  const limited = await startTestApi({ RATE_PREVIEW_REQUESTS_PER_MINUTE: '3' });
  const at = new URL(limited.url);
  const statuses: (number | undefined)[] = [];
  for (let count = 0; count < 5; count += 1) {
    await new Promise<void>((resolve, reject) => {
      const headers = { host: `${'0'.repeat(40)}.localhost:${at.port}` };
      request(limited.url, { headers }, (answer) => {
        statuses.push(answer.statusCode);
        answer.resume().on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  }
  // A machine that takes seconds for five requests may be granted one more.
  expect(statuses.slice(0, 3)).toEqual([404, 404, 404]);
  expect(statuses).toContain(429);
  expect(await limited.anonymous.send('GET', '/api/health')).toMatchObject({ status: 200 });
  await limited.stop();
});
