/**
 * A session in a repository whose worker is killed (SIGKILL) while it fetches, makes a patch on request and
 * makes the one of the end: the session goes on, with one patch each, and nothing of it is left.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import { repositoryFiles } from '../../runtime/process/repositories/repository-files.ts';
import { sessionDirectory } from '../../runtime/process/session-record.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type GitServer, gitPassword, startGitServer } from '../support/git-server.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { processesMentioning } from '../support/processes.ts';

/** No other process of the machine sleeps for as long. */
const sleeps = 'sleep 31415926';
const works = `echo mine > mine.txt; ${sleeps} & wait`;

let git: GitServer;
let platform: Platform;
let ada: FrontDoor;

beforeAll(async () => {
  git = await startGitServer();
  const env = { PRIVATE_REPOSITORY_HOSTS: git.host, SANDBOX_CA_FILE: git.caFile, SANDBOX: 'require' };
  platform = await startPlatform({ usesRunServers: true, withoutDemoSession: true, env });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
});
afterAll(async () => {
  await platform?.stop();
  await git?.close();
});

const until = (what: string, look: () => Promise<boolean>) =>
  untilFound(what, async () => ((await look()) ? true : null));

async function artifactsOf(id: string): Promise<string[]> {
  const path = `/api/sessions/${id}/artifacts`;
  const { artifacts } = await ada.ok<{ artifacts: { name: string; made_by: string }[] }>('GET', path);
  return artifacts.map(({ name, made_by }) => `${name} by ${made_by}`).toSorted();
}

it('goes on with its next worker in each phase, and has one patch of each kind', async () => {
  await ada.ok('PUT', `${ada.workspace}/secrets/GIT_PASSWORD`, { value: gitPassword });
  await ada.ok('PUT', `${ada.workspace}/repositories/code`, {
    ...{ host: git.host, path: 'team/private', credential: '${GIT_PASSWORD}' },
  });
  const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, {
    ...{ name: 'coder', run: { type: 'command', command: 'sh', args: ['-c', works] }, network: 'none' },
    repository: { name: 'code', ref: 'main' },
  });
  git.hold(true);
  const { id } = await ada.startSession(agent.id);
  const files = repositoryFiles(sessionDirectory(join(platform.dataDirectory, 'sessions'), id));
  await until('a fetch', async () => git.requests.length > 0);
  await platform.kill('worker', id);
  git.hold(false);
  await until('a session that runs', async () => (await ada.session(id)).status === 'running');
  await until('an agent that works', async () => (await processesMentioning(sleeps)).length > 0);

  await ada.ok('POST', `/api/sessions/${id}/patch`);
  const soFar = join(files.own, '..', files.taker, 'so-far.sock');
  await until('a patch on its way', async () => existsSync(soFar) || (await artifactsOf(id)).length > 0);
  await platform.kill('worker', id);
  await until('the patch so far', async () => (await artifactsOf(id)).length > 0);

  await ada.ok('POST', `/api/sessions/${id}/terminate`, {});
  await until(
    'the patch of the end on its way',
    async () => existsSync(files.patchSandbox) || (await ada.session(id)).ended_at !== null,
  );
  await platform.kill('worker', id);
  expect(await ada.ended(id)).toMatchObject({ status: 'terminated' });

  const patches = ['changes-so-far.patch by platform', 'changes.patch by platform'];
  expect(await artifactsOf(id)).toEqual(patches);
  const events = await ada.events(id);
  const codes = events.map(({ payload }) => payload['code']).filter((code) => code !== undefined);
  expect(codes.filter((code) => String(code).match(/repository|patch/))).toEqual(['repository_fetching']);
  expect(events.filter(({ type }) => type === 'agent.artifact')).toHaveLength(patches.length);
  expect(await processesMentioning(id)).toEqual([]);
  expect(existsSync(join(files.own, '..'))).toBe(false);
  expect(platform.output() + JSON.stringify(events)).not.toContain(gitPassword);
});
