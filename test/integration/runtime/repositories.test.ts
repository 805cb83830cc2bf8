/**
 * A repository in, a patch out: what is fetched from where, what the agent gets, and what becomes of whatever it
 * leaves (docs/repositories.md).
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { TakePatch } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { type GitServer, gitPassword, startGitServer } from '../../support/git-server.ts';
import { configuration } from '../../support/frozen-configuration.ts';
import { processLimits } from '../../support/process-limits.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { secretsWith } from './driver-under-test.ts';
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
  { path = 'team/project', ref = 'main', credential = undefined as string | undefined, url = git.url(path) } = {},
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
async function run(script: string, options?: Parameters<typeof start>[1]): Promise<{ log: string; patch: string }> {
  const id = await start(script, options);
  const log = await ended(id);
  return { log, patch: await patchOf(id) };
}

/** The files that a patch makes of the fetched commit. */
function applied(patch: string): (path: string) => string {
  const directory = mkdtempSync(join(tmpdir(), 'applied-'));
  try {
    const inDirectory = { cwd: directory, env: { PATH: '/usr/bin:/bin', GIT_SSL_NO_VERIFY: '1' } };
    execFileSync('git', ['clone', '--quiet', git.url('team/project'), '.'], inDirectory);
    writeFileSync(join(directory, '../the.patch'), patch, 'latin1');
    execFileSync('git', ['apply', join(directory, '../the.patch')], inDirectory);
    const files = new Map(['readme.md', 'new.txt'].map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
    return (path) => files.get(path) ?? '';
  } finally {
    rmSync(directory, { recursive: true });
  }
}

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
    expect(applied(patch)('readme.md')).toBe('The second line\nThe third line\n');
    expect(applied(patch)('new.txt')).toBe('new\n');
    expect(git.requests.map(({ path }) => path).join()).not.toContain('other');
  });
});
