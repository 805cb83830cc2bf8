/**
 * `npm start` is killed and started again: the same data, and the waiting session continues or says why not.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FrontDoor } from '../support/front-door.ts';
import { startPlatform } from '../support/platform.ts';
import { processesMentioning } from '../support/processes.ts';

const loop = [
  {
    call: 'files.write_file',
    arguments: { path: '/workspace/a.txt', content: 'x' },
    expect: 'permission_required',
  },
  {
    call: 'platform.request_grant',
    arguments: {
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
      justification: 'To write.',
    },
  },
  { wait_for_message: { contains: 'approved', timeout_seconds: 300 } },
  { call: 'files.write_file', arguments: { path: '/workspace/a.txt', content: 'x' } },
];

describe('npm start', () => {
  it('continues on the same data after kill -9, where a waiting session can be approved', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'platform-restart-'));
    const first = await startPlatform({ dataDirectory });
    const before = await FrontDoor.signIn(first.url, 'ada@demo.test');
    const agent = await before.createAgent('waits', loop, { files: {} });
    const session = await before.startSession(agent.id);
    const request = await before.openRequest(session.id);
    await first.killStart();

    const second = await startPlatform({ dataDirectory, port: Number(new URL(first.url).port) });
    try {
      const ada = await FrontDoor.signIn(second.url, 'ada@demo.test');
      expect(await ada.session(session.id)).toMatchObject({ status: 'running' });
      const grantId = await ada.approveWhenBack(request);
      expect(await ada.ended(session.id)).toMatchObject({ status: 'completed' });
      const writes = (await ada.toolCalls(session.id)).filter(({ data }) => data['tool'] === 'write_file');
      expect(writes.map(({ data }) => data['granted_via'])).toEqual([null, grantId]);
    } finally {
      await second.stop();
    }
    expect(await processesMentioning(dataDirectory)).toEqual([]);
  });

  it('leaves no process running after Ctrl-C, and the sessions show why they ended', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'platform-restart-'));
    const first = await startPlatform({ dataDirectory });
    const before = await FrontDoor.signIn(first.url, 'ada@demo.test');
    const agent = await before.createAgent('waits', loop, { files: {} });
    const session = await before.startSession(agent.id);
    await before.openRequest(session.id);
    await first.stop({ keepData: true });
    expect(await processesMentioning(dataDirectory)).toEqual([]);

    const second = await startPlatform({ dataDirectory });
    try {
      const ada = await FrontDoor.signIn(second.url, 'ada@demo.test');
      const ended = await ada.ended(session.id);
      expect(ended.status).toBe('terminated');
      expect(ended.status_reason).toMatch(/stopped/);
    } finally {
      await second.stop();
    }
  });
});
