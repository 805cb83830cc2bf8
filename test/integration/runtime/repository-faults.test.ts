/**
 * Workers, hosts, sidecars and sandboxes that are killed (SIGKILL) while a repository is fetched, worked on
 * and compared: the session goes on or ends with one true sentence, and nothing of it is left.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFiles } from '../../../runtime/process/repositories/repository-files.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { containerIn } from './driver-under-test.ts';
import { hostOf } from './process-driver.ts';
import {
  directoryOf,
  expectNoSecretIn,
  expectNothingLeft,
  expectNothingRuns,
  git,
  handedOver,
  kill,
  killed,
  killOne,
  type Prepared,
  pidsOf,
  prepare,
  programOf,
  runtime,
  untilAsked,
  untilReady,
  useRepositorySessions,
  worker,
  working,
  works,
} from './repository-sessions.ts';

const notHandedOver = 'the files of the agent were not handed over at its end';

describeWith('bwrap')('in a session with a repository', () => {
  useRepositorySessions();

  describe('a worker that is killed', () => {
    async function killedWhileItFetches(): Promise<Prepared> {
      const session = prepare();
      git.requests.length = 0;
      git.hold(true);
      const starting = worker('start', session);
      await untilAsked();
      await kill(starting);
      git.hold(false);
      return session;
    }
    async function killedOnceItFetched(): Promise<Prepared> {
      const session = prepare();
      await killed(worker('start', session, 'fetched'));
      return session;
    }

    it.each([
      ['while it fetches', killedWhileItFetches, []],
      ['once it has fetched', killedOnceItFetched, [notHandedOver]],
    ])(
      '%s leaves no process and no secret; the next one starts the session, or ends it',
      async (_when, begin, ofNoAgent) => {
        const { id, start } = await begin();
        await expectNothingRuns(id);
        expectNoSecretIn(id);
        await start();
        await untilReady(id);
        await runtime.stop(id);
        expect(handedOver(id)).toEqual([expect.stringContaining('+mine')]);
        await expectNothingLeft(id);

        const other = await begin();
        await expectNothingRuns(other.id);
        await runtime.stop(other.id);
        expect(handedOver(other.id)).toEqual(ofNoAgent);
        await expectNothingLeft(other.id);
      },
    );

    it('while the agent works leaves the session as it is, and the next one makes its patches', async () => {
      const session = prepare();
      const { id } = session;
      await killed(worker('start', session, 'started'));
      await untilReady(id);
      expectNoSecretIn(id);
      expect(await runtime.makePatch?.(id, new AbortController().signal)).toMatchObject({
        patch: expect.any(Buffer),
      });
      expect(containerIn(await runtime.inspect(id), 'agent')).toMatchObject({ state: 'running' });
      await runtime.stop(id);
      expect(handedOver(id)).toEqual([expect.stringContaining('+mine')]);
      await expectNothingLeft(id);
    });

    it('while it waits for what has changed so far is followed by one that gets it', async () => {
      const session = await working();
      const { id } = session;
      await killed(worker('patch', session, 'asked'));
      const made = await runtime.makePatch?.(id, new AbortController().signal);
      expect(made).toMatchObject({ patch: expect.any(Buffer) });
      await runtime.stop(id);
      expect(handedOver(id)).toEqual([expect.stringContaining('+mine')]);
      await expectNothingLeft(id);
    });

    it.each(['made', 'taken'] as const)(
      'once the patch of the end is %s is followed by one that hands the same over',
      async (moment) => {
        const session = await working();
        await killed(worker('stop', session, moment));
        await runtime.stop(session.id);
        const patches = handedOver(session.id);
        expect(patches).toHaveLength(moment === 'made' ? 1 : 2);
        expect(new Set(patches).size).toBe(1);
        expect(patches[0]).toContain('+mine');
        await expectNothingLeft(session.id);
      },
    );

    it('while the patch of the end is made leaves no sandbox, and the next one makes it', async () => {
      const session = await working(`yes "a line" | head -c 9000000 > much.txt; ${works}`);
      const { id } = session;
      await killed(worker('stop', session, 'making'));
      await expectNothingRuns(id);
      await runtime.stop(id);
      expect(new Set(handedOver(id)).size).toBe(1);
      expect(handedOver(id)[0]).toContain('+mine');
      await expectNothingLeft(id);
    });
  });

  describe('a sandbox that is killed', () => {
    it.each([
      ['all of it', /^bwrap .*"type":"fetch"/],
      ['git', /^git -c core\.hooksPath/],
      ['what git asks the host with', /git-remote-https /],
    ])('while it fetches (%s) ends the start with its sentence', async (_what, program) => {
      const { id, start } = prepare();
      git.hold(true);
      const started = start().catch(String);
      await untilAsked();
      await killOne(id, program);
      expect(await started).toMatch(
        /The repository "project" could not be fetched: (what fetches it was killed|git could not fetch it)/,
      );
      await expectNothingLeft(id);
    });

    it('while it compares is made once more, and one that always is has its sentence', async () => {
      const compares = /^\S*node \S*repository\.js \{"type":"patch"/;
      const { id } = await working();
      const stopped = runtime.stop(id);
      await killOne(id, compares);
      await stopped;
      expect(handedOver(id)).toEqual([expect.stringContaining('+mine')]);
      await expectNothingLeft(id);

      const { id: other } = await working();
      const stopping = new AbortController();
      const stop = runtime.stop(other).finally(() => stopping.abort());
      const seen: number[] = [];
      while (!stopping.signal.aborted) {
        const pids = (await pidsOf(other, compares)).filter((pid) => !seen.includes(pid));
        for (const pid of pids) {
          process.kill(pid, 'SIGKILL');
        }
        seen.push(...pids);
      }
      await stop;
      expect(handedOver(other)).toEqual([expect.stringContaining('was killed twice')]);
      await expectNothingLeft(other);
    });
  });

  describe('a host that is killed', () => {
    it('while the repository is fetched ends this start, and the next one is as any', async () => {
      const { id, start } = prepare();
      git.hold(true);
      const started = start().catch(String);
      await untilAsked();
      process.kill(await programOf(id, 'session-host.js'), 'SIGKILL');
      git.hold(false);
      expect(await started).toContain('the session host ended');
      await expectNothingLeft(id);
      await start();
      await untilReady(id);
      await runtime.stop(id);
      expect(handedOver(id)).toEqual([expect.stringContaining('+mine')]);
    });

    it('while the agent works, or is asked for what has changed so far, takes its files with it', async () => {
      const { id } = await working();
      const asked = runtime.makePatch?.(id, new AbortController().signal).catch(String);
      process.kill(hostOf(directoryOf(id)), 'SIGKILL');
      await eventually(async () => expect(await runtime.inspect(id)).toMatchObject({ state: 'lost' }));
      await expectNothingRuns(id);
      await runtime.stop(id);
      expect(await asked).toContain('the session is being stopped');
      expect(handedOver(id)).toEqual([notHandedOver]);
      await expectNothingLeft(id);
    });

    it('while the agent hands over leaves no patch of the half that came', async () => {
      const hold = `require('node:net').connect('/run/platform-repository/changes.sock', function () {
        this.write('half', () => console.log('ready')); })`;
      const { id } = await working(`exec node -e "${hold}"`);
      const half = `${repositoryFiles(directoryOf(id)).changes}.unfinished`;
      await eventually(() => expect(readFileSync(half, 'utf8')).toBe('half'));
      process.kill(hostOf(directoryOf(id)), 'SIGKILL');
      await runtime.stop(id);
      expect(handedOver(id)).toEqual([notHandedOver]);
      await expectNothingLeft(id);
    });
  });

  describe('a sidecar that is killed', () => {
    it('while the repository is fetched is another one by the time that the session starts', async () => {
      const { id, start } = prepare();
      git.hold(true);
      const started = start();
      await untilAsked();
      process.kill(await programOf(id, 'sidecar.js'), 'SIGKILL');
      git.hold(false);
      await started;
      await untilReady(id);
      expect(containerIn(await runtime.inspect(id), 'sidecar')).toMatchObject({ state: 'running' });
      await runtime.stop(id);
      expect(handedOver(id)).toEqual([expect.stringContaining('+mine')]);
      await expectNothingLeft(id);
    });

    it('until it is given up ends the agent, whose work is the patch', async () => {
      const { id } = await working();
      const seen: number[] = [];
      while (containerIn(await runtime.inspect(id), 'sidecar')?.state !== 'exited') {
        const [pid] = (await pidsOf(id, /sidecar\.js/)).filter((each) => !seen.includes(each));
        if (pid !== undefined) {
          seen.push(pid);
          process.kill(pid, 'SIGKILL');
        }
      }
      await eventually(async () =>
        expect(containerIn(await runtime.inspect(id), 'agent')).toMatchObject({ state: 'exited' }),
      );
      await runtime.stop(id);
      expect(handedOver(id)).toEqual([expect.stringContaining('+mine')]);
      await expectNothingLeft(id);
    });
  });
});
