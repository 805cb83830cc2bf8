/**
 * A service of a preview under `kill -9`: it outlives worker and API, its gateway is started again, and with
 * its host it ends as one that was lost.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ShownPreview } from '../../contract/preview.ts';
import { sessionDirectory } from '../../runtime/process/session-record.ts';
import { hostOf } from '../integration/runtime/process-driver.ts';
import { waitForever } from '../support/asking-steps.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { processesMentioning } from '../support/processes.ts';
import { requestAtHost } from '../support/request-at-host.ts';
import { nodeService } from '../support/served-site.ts';

/** Answers with when it was started, which another start would change. */
const counting = `
require('node:http').createServer((request, response) => response.end('started at ' + start))
  .listen(process.env.PORT, '127.0.0.1');
const start = Date.now();`;

let platform: Platform;
let ada: FrontDoor;
let sessionId: string;
let previewId: string;

beforeAll(async () => {
  platform = await startPlatform({ usesRunServers: true, withoutDemoSession: true });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  const deploy = { call: 'platform.preview_deploy', arguments: { service: 'web' } };
  const agent = await ada.createAgent('host', [deploy, waitForever], {});
  await ada.ok('PATCH', `/api/agents/${agent.id}`, { services: [nodeService('web', counting)] });
  sessionId = (await ada.startSession(agent.id)).id;
  previewId = await untilFound('a preview', async () => {
    const { previews } = await ada.ok<{ previews: ShownPreview[] }>(
      'GET',
      `${ada.workspace}/previews?session_id=${sessionId}`,
    );
    return previews[0]?.id;
  });
});
afterAll(() => platform?.stop());

const path = () => `${ada.workspace}/previews/${previewId}`;
const shown = async () => (await ada.ok<{ preview: ShownPreview }>('GET', path())).preview;

/** What a person reads who opens the preview now; null while nobody answers for the service. */
async function read(): Promise<string | null> {
  const location = await ada.leadsTo(`${path()}/open`).catch(() => null);
  if (location === null) {
    return null;
  }
  const { host } = new URL(location);
  const given = { host, path: '/', headers: {}, method: 'GET' };
  const got = await requestAtHost(platform.url, given).catch(() => null);
  return got?.status === 200 ? got.body : null;
}
const answer = () => untilFound('an answer of the service', read);

it('outlives its worker and its API, which find it again', async () => {
  const first = await answer();
  await Promise.all([platform.kill('worker', ''), platform.kill('api', '')]);
  await platform.healthy();
  expect(await answer()).toBe(first);
  expect(await shown()).toMatchObject({ is_live: true, service_status: { state: 'running', reason: null } });
});

it('outlives its gateway, which is started again, also without a worker', async () => {
  const first = await answer();
  await platform.kill('sidecar', previewId);
  expect(await answer()).toBe(first);
  await Promise.all([platform.kill('sidecar', previewId), platform.kill('worker', '')]);
  expect(await answer()).toBe(first);
});

it('ends with its host as one that was lost, and leaves its session and nothing running', async () => {
  process.kill(hostOf(sessionDirectory(join(platform.dataDirectory, 'sessions'), previewId)), 'SIGKILL');
  await eventually(async () =>
    expect(await shown()).toMatchObject({
      is_live: false,
      service_status: { state: 'failed', reason: expect.stringContaining('lost') },
    }),
  );
  await eventually(async () => expect(await processesMentioning(previewId)).toEqual([]));
  expect(await ada.session(sessionId)).toMatchObject({ status: 'running' });
});
