/** `npm start` as a person uses it: started, interrupted, killed, started again, started twice. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { processesMentioning } from '../support/processes.ts';

let dataDirectory: string;
const running: Platform[] = [];
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'start-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((platform) => platform.stop()));
  rmSync(dataDirectory, { recursive: true, force: true });
}, 60_000);

async function start(env: Record<string, string> = {}): Promise<Platform> {
  const platform = await startPlatform({ dataDirectory, env });
  running.push(platform);
  return platform;
}

/** Runs the start-up where it is expected to end by itself. */
function startThatEnds(env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/start.js'], {
    env: { PATH: process.env['PATH'], PORT: '0', TEMPORAL_UI_PORT: '0', DATA_DIR: dataDirectory, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

const openRequests = async (door: FrontDoor): Promise<PermissionRequest[]> => {
  const answer = await door.ok<{ permission_requests: PermissionRequest[] }>(
    'GET',
    '/api/workspaces/demo/permission-requests?status=open',
  );
  return answer.permission_requests;
};

describe('the start-up', () => {
  it('ends with a session that waits for an approval; Ctrl-C leaves nothing running, and the next start is ready in under 10 s', async () => {
    const first = await start();
    const max = await FrontDoor.signIn(first.url, 'max@demo.test');
    const waiting = await openRequests(max);
    expect(waiting).toHaveLength(1);
    expect(first.output()).toContain(waiting[0]?.session_id);

    await first.stop({ keepData: true });
    expect(await processesMentioning(dataDirectory)).toEqual([]);

    const startedAt = Date.now();
    const second = await start();
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    const again = await FrontDoor.signIn(second.url, 'max@demo.test');
    const stopped = await again.session(waiting[0]?.session_id ?? '');
    expect(stopped).toMatchObject({ status: 'terminated', status_reason: 'The platform was stopped.' });
    expect(await openRequests(again)).toHaveLength(1);
  }, 120_000);

  it('that was killed goes on where it was: same data, same session, same request', async () => {
    const first = await start();
    const before = await openRequests(await FrontDoor.signIn(first.url, 'max@demo.test'));
    await first.killStart();

    const second = await start({ PORT: new URL(first.url).port });
    const max = await FrontDoor.signIn(first.url, 'max@demo.test');
    expect(await openRequests(max)).toEqual(before);
    const [request] = before;
    if (request === undefined) {
      throw new Error('no request waits');
    }
    await max.approve(request);
    expect(await max.ended(request.session_id)).toMatchObject({ status: 'completed' });
    await second.stop({ keepData: true });
    expect(await processesMentioning(dataDirectory)).toEqual([]);
  }, 120_000);

  it('runs once for each data directory, and says which process has it', async () => {
    await start();
    const { status, stderr } = startThatEnds({});
    expect(status).toBe(1);
    expect(stderr).toMatch(/Another start-up \(process \d+\) uses .*DATA_DIR/);
  }, 60_000);

  it('names the port that is taken, and starts nothing', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, stderr } = startThatEnds({ PORT: String(port) });
    other.close();
    expect(status).toBe(1);
    expect(stderr).toContain(`Port ${port} is taken`);
    expect(await processesMentioning(dataDirectory)).toEqual([]);
  }, 60_000);

  it('refuses keys that do not open what is stored, and stops what it had started', async () => {
    const platform = await start();
    await platform.stop({ keepData: true });
    const file = join(dataDirectory, 'keys.json');
    const keys = JSON.parse(readFileSync(file, 'utf8'));
    const foreign = { ...keys, master_keys: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
    writeFileSync(file, JSON.stringify(foreign));
    const { status, stderr } = startThatEnds({});
    expect(status).toBe(1);
    expect(stderr).toContain('MASTER_KEYS');
    expect(await processesMentioning(dataDirectory)).toEqual([]);
  }, 120_000);

  it('explains itself', () => {
    const { status, stdout } = spawnSync(process.execPath, ['dist/start.js', '--help'], { encoding: 'utf8' });
    expect(status).toBe(0);
    for (const variable of ['PORT', 'TEMPORAL_UI_PORT', 'DATA_DIR', 'DATABASE_URL', 'TEMPORAL_ADDRESS']) {
      expect(stdout).toContain(variable);
    }
  });

  it('reports every wrong variable at once', () => {
    const { status, stderr } = startThatEnds({ PORT: 'http', DATABASE_URL: 'mysql://h/db' });
    expect(status).toBe(1);
    expect(stderr).toContain('PORT');
    expect(stderr).toContain('DATABASE_URL');
  });
});
