import { afterEach, describe, expect, it } from '@jest/globals';
import { type HealthServer, serveHealth } from '../../../bin/worker/health.ts';

let server: HealthServer | undefined;
afterEach(() => server?.close());

async function statuses(isReady: () => Promise<boolean>): Promise<Record<string, number>> {
  server = await serveHealth({ host: '127.0.0.1', port: 0, isReady });
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${server?.port}${path}`)).status;
  return { alive: await ask('/alive'), ready: await ask('/ready'), other: await ask('/') };
}

describe('the health of a worker', () => {
  it('is ready when it accepts work', async () => {
    expect(await statuses(async () => true)).toEqual({ alive: 200, ready: 200, other: 404 });
  });

  it('is alive and not ready when it accepts none, or that is unknown', async () => {
    expect(await statuses(async () => false)).toEqual({ alive: 200, ready: 503, other: 404 });
    await server?.close();
    expect(await statuses(() => Promise.reject(new Error('no database')))).toMatchObject({ ready: 503 });
  });
});
