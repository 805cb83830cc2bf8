/**
 * A repository in, a patch out: what is fetched from where, what the agent gets, and what the patch has of
 * whatever it leaves (docs/repositories.md).
 */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { readSystemRoot } from '../../../runtime/process/probe-machine.ts';
import type { SystemRoot } from '../../../runtime/process/render-sandbox.ts';
import { repositoryLimits } from '../../../runtime/process/repositories/fetch-repository.ts';
import { makePatch } from '../../../runtime/process/repositories/make-patch.ts';
import { repositoryFiles } from '../../../runtime/process/repositories/repository-files.ts';
import type { TakePatch } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { configuration } from '../../support/frozen-configuration.ts';
import {
  asCommitted,
  filesAfter,
  type GitServer,
  gitPassword,
  startGitServer,
} from '../../support/git-server.ts';
import { processLimits } from '../../support/process-limits.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { secretsWith } from './driver-under-test.ts';
import { leavePatchSandbox } from './leave-patch-sandbox.ts';
import { type ProcessDriver, processDriver } from './process-driver.ts';
import { type Reports, takeReports } from './reports.ts';

let git: GitServer;
let reports: Reports;
let driver: ProcessDriver;
let runtime: Awaited<ReturnType<ProcessDriver['open']>>;
const patches = new Map<string, Parameters<TakePatch>[1]>();

/** A session in a repository, whose agent runs a script in a shell. */
async function start(
  script: string,
  {
    path = 'team/project',
    ref = 'main',
    credential = undefined as string | undefined,
    url = git.url(path),
  } = {},
): Promise<string> {
  const id = randomUUID();
  const spec = runtime.render(
    configuration({
      session_id: id,
      agent: {
        run: { type: 'command', command: 'sh', args: ['-c', script] },
        repository: { name: 'project', url, ref, credential: null },
      },
    }),
  );
  const secrets = credential === undefined ? {} : { repositoryCredential: credential };
  await runtime.start(spec, secretsWith(id, secrets));
  return id;
}

async function ended(id: string): Promise<string> {
  await eventually(async () =>
    expect(await runtime.inspect(id)).toMatchObject({
      containers: expect.arrayContaining([expect.objectContaining({ name: 'agent', state: 'exited' })]),
    }),
  );
  return runtime.logs(id, 'agent', 8000);
}

async function patchOf(id: string): Promise<string> {
  await runtime.stop(id);
  const made = patches.get(id);
  return made === undefined ? 'none' : 'patch' in made ? made.patch.toString('latin1') : made.problem;
}

/** What the agent wrote, and the patch. */
async function run(
  script: string,
  options?: Parameters<typeof start>[1],
): Promise<{ log: string; patch: string }> {
  const id = await start(script, options);
  const log = await ended(id);
  return { log, patch: await patchOf(id) };
}

/** The files that a patch makes of the fetched commit. */
const applied = (patch: string, ...paths: string[]) =>
  filesAfter(git.directory('team/project'), patch, paths);

describeWith('bwrap')('a session in a repository', () => {
  beforeAll(async () => {
    git = await startGitServer();
    reports = await takeReports();
    driver = processDriver({
      containers: { ...processLimits, workspaceBytes: 48 * 1024 * 1024 },
      packages: { npmRegistryUrl: null, pypiIndexUrl: null, caFile: git.caFile },
      privateRepositoryHosts: new Map([[git.host, 'https']]),
      takePatch: async (id, made) => void patches.set(id, made),
    });
    runtime = await driver.open(reports.url);
  });
  afterEach(async () => {
    for (const id of await runtime.list()) {
      await runtime.stop(id);
    }
    git.requests.length = 0;
  });
  afterAll(async () => {
    driver.remove();
    await reports.close();
    await git.close();
  });

  it('has the commit alone, without a remote or a credential, and its changes become a patch', async () => {
    const script = `
      pwd; git log --oneline | wc -l; git remote; git branch; cat .git/config; git status --short
      printf 'The second line\\nThe third line\\n' > readme.md
      rm src/gone.txt; chmod -x src/run.sh; echo new > new.txt; mkdir ignored; echo no > ignored/file
      git add -A; git commit -qm mine; ln -s readme.md link
      env | grep -i -e password -e credential; exit 3`;
    const { log, patch } = await run(script, { path: 'team/private', credential: gitPassword });
    expect(log).toMatch(/^\/workspace\/repository\n1\n\* work\n\[core\]/);
    expect(log).not.toMatch(/remote|url|the-password|passwor/);
    expect(patch).toContain('diff --git a/readme.md b/readme.md');
    expect(patch).toContain('deleted file mode 100644');
    expect(patch).toMatch(/old mode 100755\nnew mode 100644/);
    expect(patch).toContain('new file mode 120000');
    expect(patch).not.toMatch(/ignored\/file|\.git\//);
    expect(applied(patch, 'readme.md', 'new.txt')).toEqual(['The second line\nThe third line\n', 'new\n']);
    expect(git.requests.map(({ path }) => path).join()).not.toContain('other');
  });

  it('is fetched at a tag or a commit, and hands its changes over when it is stopped, also once more', async () => {
    const id = await start(
      'trap "echo late > late.txt; exit" TERM; echo ready; while :; do sleep 0.1; done',
      {
        ref: git.commit,
      },
    );
    await eventually(async () => expect(await runtime.logs(id, 'agent', 100)).toContain('ready'));
    leavePatchSandbox(driver.directoryOf(id));
    expect(await patchOf(id)).toContain('+late');
    const { log, patch } = await run('touch lines.old; git status --short; cat lines.old', { ref: 'v1' });
    expect({ log, patch }).toEqual({ log: asCommitted, patch: '' });
  });

  it('gives a patch while it runs, of what has changed so far, and its whole one at its end', async () => {
    const script = `echo one > so-far.txt; ln -s one link; echo ready
      while :; do echo temporary > busy; rm busy; [ -e /workspace/go ] && break; sleep 0.01; done`;
    const id = await start(`trap 'echo late > late.txt; exit' TERM; ${script}`);
    await eventually(async () => expect(await runtime.logs(id, 'agent', 100)).toContain('ready'));
    const soFar = async (signal = new AbortController().signal) => {
      const made = await runtime.makePatch?.(id, signal);
      return made !== undefined && 'patch' in made ? made.patch.toString('latin1') : made?.problem;
    };
    // What a worker leaves that was killed while it waited.
    writeFileSync(join(driver.directoryOf(id), 'repository/taker/so-far.sock'), '');
    const first = await soFar();
    expect(first).toContain('+++ b/so-far.txt');
    expect(applied(first ?? '', 'so-far.txt')).toEqual(['one\n']);
    expect(await soFar()).toContain('+one');
    // Two at a time: the later one counts.
    const [earlier, later] = await Promise.allSettled([soFar(), soFar()]);
    expect(earlier.status).toBe('rejected');
    expect(later).toMatchObject({ status: 'fulfilled', value: expect.stringContaining('+one') });
    await expect(soFar(AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    // Nobody makes one of a session that is being stopped.
    const last = soFar().catch(String);
    const stopped = patchOf(id);
    expect(await soFar().catch(String)).toBe('PatchAbandonedError: the session is being stopped');
    const whole = await stopped;
    expect(whole).toContain('+late');
    expect(whole).toContain('+one');
    expect(await last).toMatch(/made again|being stopped|\+one/);
    expect(existsSync(driver.directoryOf(id))).toBe(false);
    expect(await soFar()).toBe('the files of the repository are not there');
  });

  it('gives no patch of an agent that hands something else over while it runs, and goes on', async () => {
    const imitate = `const { existsSync } = require('node:fs');
      const path = '/run/platform-repository/so-far.sock';
      const look = () => existsSync(path)
        ? require('node:net').connect(path).end(Buffer.alloc(200, 1)).on('close', () => process.exit()).resume()
        : setTimeout(look, 1);
      console.log('looking'); look();`;
    const id = await start(
      `node -e "${imitate.replaceAll('"', '\\"')}"; echo imitated; echo x > x; sleep 1000`,
    );
    await eventually(async () => expect(await runtime.logs(id, 'agent', 100)).toContain('looking'));
    const signal = new AbortController().signal;
    expect(await runtime.makePatch?.(id, signal)).toEqual({
      problem: 'the agent handed over files that are not allowed',
    });
    await eventually(async () => expect(await runtime.logs(id, 'agent', 100)).toContain('imitated'));
    expect(await runtime.makePatch?.(id, signal)).toMatchObject({ patch: expect.any(Buffer) });
  });

  it('takes nothing of this process, however often it connects while it is asked', async () => {
    const flood = `const { existsSync } = require('node:fs');
      const path = '/run/platform-repository/so-far.sock';
      const look = () => { if (!existsSync(path)) return setTimeout(look, 1);
        let left = 300;
        for (let at = 0; at < 300; at += 1) require('node:net').connect(path, function () { this.write('x'); })
          .on('error', () => 0).on(at === 0 ? 'connect' : 'close', () => { left -= 1; left || console.log('flooded'); });
        setTimeout(() => console.log('flooded'), 3000); };
      console.log('looking'); look();`;
    const id = await start(`exec node -e "${flood.replaceAll('"', '\\"')}"`);
    await eventually(async () => expect(await runtime.logs(id, 'agent', 100)).toContain('looking'));
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    const controller = new AbortController();
    const made = runtime.makePatch?.(id, controller.signal).catch(String);
    await eventually(async () => expect(await runtime.logs(id, 'agent', 100)).toContain('flooded'));
    expect(openFiles()).toBeLessThan(before + 20);
    controller.abort(new Error('left'));
    expect(await made).toBe('Error: left');
    await eventually(() => expect(openFiles()).toBeLessThan(before + 5));
  });

  it('has nothing that goes on while its changes are handed over', async () => {
    const hold = `require('node:net').connect('/run/platform-repository/changes.sock', () => console.log('held'))`;
    const { patch } = await run(`echo mine > mine.txt
      setsid node -e "${hold}" > /workspace/said & while ! grep -q held /workspace/said; do sleep 0.05; done; exit 0`);
    expect(patch).toContain('+mine');
  });

  it('ends as its program did, where nobody takes what changed', async () => {
    const id = await start('echo ready; sleep 1; exit 7');
    await eventually(async () => expect(await runtime.logs(id, 'agent', 100)).toContain('ready'));
    rmSync(join(driver.directoryOf(id), 'repository/taker/changes.sock'));
    expect(await ended(id)).toContain('was not handed over');
    expect(await runtime.inspect(id)).toMatchObject({
      containers: expect.arrayContaining([expect.objectContaining({ name: 'agent', exitCode: 7 })]),
    });
    expect(await patchOf(id)).toBe('the files of the agent were not handed over at its end');
  });

  it.each([
    ['no credential', { path: 'team/private' }, 'refused its credential'],
    [
      'another host’s credential',
      { path: 'team/private', credential: 'user:wrong' },
      'refused its credential',
    ],
    ['no such branch', { ref: 'nowhere' }, 'it has no branch, tag or commit "nowhere"'],
    ['no such repository', { path: 'team/none' }, 'has no such repository'],
    ['a redirect', { path: 'team/moved', credential: gitPassword }, 'answered with a redirect'],
    ['an answer without end', { path: 'team/endless' }, 'it is larger than 48 MiB'],
    ['a small pack of large files', { path: 'team/bomb' }, 'than 24 MiB written out'],
    ['a private address', { url: 'https://localhost:1/team/project' }, 'localhost:1 has a private address'],
  ])('does not start for %s', async (_what, options, sentence) => {
    await expect(start('true', options)).rejects.toThrow(sentence);
    const { path = 'team/project' } = options as { path?: string };
    expect(git.requests.filter((each) => !each.path.startsWith(`/${path}/`))).toEqual([]);
    expect(await runtime.list()).toEqual([]);
  });

  it('waits for its turn, where its workspace fetches others', async () => {
    const starts = [1, 2, 3].map(() => start('true', { path: 'team/silent' }));
    const ended = Promise.allSettled(starts);
    await eventually(async () => expect(await runtime.list()).toHaveLength(3));
    await eventually(async () => expect(git.requests).toHaveLength(2));
    const begun = (await runtime.list()).filter((id) =>
      existsSync(repositoryFiles(driver.directoryOf(id)).fetchSandbox),
    );
    expect(begun).toHaveLength(2);
    await runtime.stop(begun[0] ?? '');
    await eventually(async () => expect(git.requests).toHaveLength(3));
    await Promise.all((await runtime.list()).map((id) => runtime.stop(id)));
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  }, 30_000);

  it('gets a patch of what its files are, whatever its own git is told', async () => {
    const script = `
      evil=/workspace/evil; printf '#!/bin/sh\necho EVIL' > $evil; chmod +x $evil
      for key in filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.command diff.evil.textconv \
        diff.external core.fsmonitor core.pager core.editor core.sshCommand core.alternateRefsCommand \
        merge.evil.driver gpg.program credential.helper alias.add; do
        git config $key $evil; done
      git config filter.evil.required true; git config core.hooksPath /workspace; git config include.path /workspace/more
      git config core.worktree /etc; git config core.attributesFile /workspace/attributes
      cp $evil .git/hooks-post-index-change 2>/dev/null; mkdir -p .git/info; echo '* filter=evil -diff' > .git/info/attributes
      echo '* -diff -text filter=evil diff=evil merge=evil working-tree-encoding=' > .gitattributes
      echo open > readme.md
      mkdir nested; cd nested; git init -q . ; git config core.fsmonitor $evil; echo inner > inner.txt; cd ..
      ln -s /etc/shadow shadow; ln -s /proc/1/environ environ
      rm -rf .git/objects .git/index; echo '/opt/elsewhere' > .git/commondir`;
    const { patch } = await run(script);
    expect(patch).toContain('-The first line\n-The second line\n+open\n');
    expect(patch).toContain('+/etc/shadow');
    expect(patch).toContain('+/proc/1/environ');
    expect(patch).not.toMatch(/EVIL|Binary|GIT binary|inner|root:/);
  });

  it('gets a patch of the very bytes that it leaves, whatever attributes say', async () => {
    const script = `
      printf '* text ident\\n*.wide working-tree-encoding=UTF-16LE\\n*.odd working-tree-encoding=none\\n' > .gitattributes
      printf '$Id: hidden$\\n' > readme.md; printf 'one\\r\\n' > ends.txt
      printf 'w\\000i\\000' > a.wide; printf 'odd\\n' > an.odd; printf '$Id: other$\\r\\nlast\\r\\n' > lines.old`;
    const { patch } = await run(script);
    expect(patch).toContain('+$Id: hidden$\n');
    expect(patch).toContain('+one\r\n');
    expect(patch).toContain('-$Id: kept$\r\n+$Id: other$\r\n last\r\n');
    expect(patch).toContain('+odd\n');
    expect(patch).toMatch(/diff --git a\/a\.wide[\s\S]*GIT binary patch\nliteral 4\n/);
  });

  it('gets a patch where it left what is no file, odd names, and a change of the same size and time', async () => {
    const script = `
      rm src/gone.txt; mkfifo src/gone.txt; rmdir other; mkfifo pipe
      cp -p readme.md /tmp/old; sed -i s/second/SECOND/ readme.md; touch -r /tmp/old readme.md
      echo named > "$(printf 'odd\\n"\\351name')"`;
    const { patch } = await run(script);
    expect(patch).toContain('diff --git a/src/gone.txt b/src/gone.txt\ndeleted file mode 100644');
    expect(patch).toContain('-The second line\n+The SECOND line\n');
    expect(patch).toContain('+++ "b/odd\\n\\"\\351name"');
    expect(patch.match(/^diff --git/gm)).toHaveLength(3);
  });

  it('gets a patch of as much as may change, however small its workspace is', async () => {
    const { patch } = await run('yes "a line of text" | head -c 9000000 > much.txt');
    expect(patch.length).toBeGreaterThan(9_000_000);
    const { patch: none } = await run('truncate -s 34M much');
    expect(none).toMatch(/^more than 32 MiB of files changed/);
  });

  it.each([
    ['a path out of the tree', [{ type: 'file', path: '../git/config' }]],
    [
      'a path out of the tree, of characters that are no bytes',
      [{ type: 'file', path: '\u012e\u012e\u012fgit/config' }],
    ],
    ['what is gone by such a path', [{ type: 'gone', path: '\u012e\u012e\u012fgit/config' }]],
    [
      'a link whose target has such characters',
      [{ type: 'link', path: 'a', target: '\u012e\u012e\u012fgit' }],
    ],
    ['a file of a repository by such a path', [{ type: 'file', path: 'sub\u012f.git\u012fHEAD' }]],
    ['a file of a repository', [{ type: 'file', path: 'src/.Git/config' }]],
    [
      'a path through a link',
      [
        { type: 'link', path: 'etc', target: '/workspace/git' },
        { type: 'file', path: 'etc/config' },
      ],
    ],
    ['less than it announces', [{ type: 'file', path: 'a', sizeBytes: 1_000_000_000 }], 'breaks off'],
    ['no records', [], 'breaks off'],
    ['that there were no files', [{ type: 'no_tree' }], 'the files of the repository were not written out'],
  ])(
    'makes no patch of %s that an agent hands over itself',
    async (_what, records, problem: unknown = 'the agent handed over files that are not allowed') => {
      const script = `
      const bytes = ${JSON.stringify(records.length === 0 ? [] : [...records, { type: 'end' }])}.flatMap((record) => {
        const file = { sizeBytes: 1, isExecutable: true, ...record };
        const text = Buffer.from(JSON.stringify(record.type === 'file' ? file : record));
        const length = Buffer.alloc(4); length.writeUInt32BE(text.length);
        return [length, text, Buffer.from(record.type === 'file' ? 'x' : '')];
      });
      const socket = require('node:net').connect('/run/platform-repository/changes.sock');
      socket.end(Buffer.concat(bytes)).resume().on('close', () => process.kill(process.ppid, 'SIGKILL'));`;
      const { patch } = await run(`exec node -e '${script.replaceAll("'", `'"'"'`)}'`);
      expect(patch).toContain(problem);
    },
  );

  it('gets its patch once the worker can make it, and none when it never can', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'faulty-'));
    const { base, changes, attempts } = repositoryFiles(directory);
    mkdirSync(base, { recursive: true });
    writeFileSync(join(base, 'commit'), git.commit);
    writeFileSync(changes, '');
    const root = readSystemRoot();
    const programs = { nodePrefix: '/usr', directory: '/nowhere', relay: null, runner: '/', claude: null };
    const make = async (signal = new AbortController().signal) =>
      makePatch(directory, {
        machine: { programs, root: root as SystemRoot, limits: processLimits, cgroups: null, owner: 'test' },
        limits: repositoryLimits(1024 * 1024),
        signal,
      });
    await expect(make(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await expect(make()).rejects.toThrow();
    }
    expect(await make()).toEqual({ problem: 'the worker failed to make it 5 times; its log says why' });
    expect(readFileSync(attempts, 'utf8')).toBe('6');
    rmSync(directory, { recursive: true });
  }, 30_000);
});
