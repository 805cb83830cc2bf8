/**
 * What a sandbox may use of the machine, with and without control groups. Every test is defined on every
 * machine: where control groups are not writable, theirs count as skipped, which CI does not accept.
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cgroupsOf, findCgroups, removeLeftCgroups } from '../../../runtime/process/host/cgroups.ts';
import { startContainer } from '../../../runtime/process/host/start-container.ts';
import { sandboxLayout, sessionFiles } from '../../../runtime/process/layout.ts';
import { limitsSentence } from '../../../runtime/process/limits-sentence.ts';
import { readSystemRoot } from '../../../runtime/process/probe-machine.ts';
import { renderSandbox, type SandboxedContainer } from '../../../runtime/process/render-sandbox.ts';
import { makeSessionDirectory, nodeRelay } from '../../../runtime/process/session-directory.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith } from '../../support/sandbox-programs.ts';

const mebibyte = 1024 * 1024;
const limits = { memoryBytes: 256 * mebibyte, cpuMillis: 500, processes: 40 };
const programs = {
  nodePrefix: resolve(process.execPath, '../..'),
  directory: resolve('dist'),
  relay: null,
  runner: resolve('deploy/runner'),
  claude: null,
};
const owner = `test${process.pid}`;
const found = findCgroups();
const isRoot = process.getuid?.() === 0;
/** Control groups as sandboxes get them; empty where they are not writable. */
const groupsOf = (of: string, name: string) => (found === null ? [] : cgroupsOf(found, of, name));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'limits-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a shell script in a sandbox, and returns its output and its exit code. */
async function inside(script: string, cgroups: string[]): Promise<string> {
  const container: SandboxedContainer = {
    name: 'agent',
    role: 'agent',
    program: { type: 'command', command: 'sh', args: [] },
    network: 'none',
    uid: 2000,
    view: { directory: 'agent', path: '/run/platform' },
  };
  const layout = sandboxLayout(programs);
  const config = {
    session_id: '',
    agent: { id: '', name: '', kind: 'worker' as const, instructions: '', model: null },
    prompt: '',
    mcpServers: {},
  };
  makeSessionDirectory(directory, {
    config,
    containers: [container],
    relay: nodeRelay(programs, layout, true),
  });
  const { process: child } = await startContainer(
    {
      name: 'agent',
      argv: ['sh', '-c', `${script}\necho " code $?"`],
      env: { PATH: layout.path },
      cwd: sessionFiles(directory).workspace('agent'),
      sandbox: renderSandbox(container, {
        ...{ directory, programs, root: readSystemRoot() },
        workspaceBytes: 16 * mebibyte,
      }),
      network: 'none',
      limits,
      cgroups,
    },
    'pipe',
  );
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  return output;
}

const takeMemory = `node -e 'const all = []; for (let i = 0; i < 10; i += 1) all.push(Buffer.alloc(64 * 1024 * 1024, 1)); console.log("got it")'`;
const takeLittle = `node -e 'console.log(Buffer.alloc(64 * 1024 * 1024, 1).length)'`;
const fillDisk = 'dd if=/dev/zero of=/workspace/all bs=1M count=64';
const fork = `perl -e 'my @all; while (@all < 200) { my $pid = fork(); last unless defined $pid; if ($pid == 0) { sleep 60; exit } push @all, $pid } kill 9, @all; print scalar(@all)'`;
const spin = `perl -e 'use Time::HiRes qw(time); my $began = time; 1 while time - $began < 2; my ($user) = times; print $user / (time - $began)'`;

describeWith('bwrap')('each process of a sandbox without control groups', () => {
  it('has a limit on its memory, sufficient for ordinary programs', async () => {
    expect(await inside(takeMemory, [])).not.toMatch(/got it|code 0/);
    expect(await inside(takeLittle, [])).toContain('67108864\n code 0');
  });

  it('has a size limit on its work directory', async () => {
    expect(await inside(fillDisk, [])).toContain('No space left on device');
  });

  // The kernel does not count root's processes: for root, only control groups limit them.
  it('shares a limit on their number, but not as root, as the start-up log says', async () => {
    const isLimited = Number.parseInt(await inside(fork, []), 10) < limits.processes;
    expect(isLimited).toBe(!isRoot);
    expect(limitsSentence(null).includes('number')).toBe(isLimited);
  });

  it('has a lower priority than the platform', async () => {
    expect(await inside('nice', [])).toContain('10\n');
  });
});

(found === null ? describe.skip : describeWith('bwrap'))('a sandbox with control groups', () => {
  const groups = () => groupsOf(owner, 'session.agent');

  it('has a limit on the memory of all its processes', async () => {
    expect(await inside(takeMemory, groups())).not.toMatch(/got it|code 0/);
    expect(await inside(takeLittle, groups())).toContain('67108864\n code 0');
    // Three that stay below it each, but not in sum.
    const piece = `node -e 'const one = Buffer.alloc(110 * 1024 * 1024, 1); setTimeout(() => console.log("kept", one.length), 3000)'`;
    const kept = await inside(`${piece} & ${piece} & ${piece} & wait`, groups());
    expect(kept.match(/kept/g)?.length ?? 0).toBeLessThan(3);
  });

  it('has a limit on its processes and its processor time', async () => {
    expect(Number.parseInt(await inside(fork, groups()), 10)).toBeLessThan(limits.processes);
    expect(Number.parseFloat(await inside(spin, groups()))).toBeLessThan(0.7);
  });

  it('removes its control groups', async () => {
    await inside('true', groups());
    const left = () =>
      (found?.parents ?? []).flatMap((parent) => readdirSync(parent).filter((each) => each.includes(owner)));
    await eventually(() => expect(left()).toEqual([]));
  });
});

(found === null ? it.skip : it)('removes the groups of deleted sessions, and no others', async () => {
  const { makeCgroups } = await import('../../../runtime/process/host/cgroups.ts');
  const [gone, kept, foreign] = ['gone.agent', 'kept.agent', 'gone.agent'].map((name, index) =>
    groupsOf(index === 2 ? `${owner}x` : owner, name),
  );
  for (const each of [gone, kept, foreign]) {
    makeCgroups(each ?? [], limits);
  }
  const remove = (of: string, isKept: (name: string) => boolean) =>
    found !== null && removeLeftCgroups(found, of, isKept);
  remove(owner, (name) => name.startsWith('kept.'));
  expect((gone ?? []).filter((each) => existsSync(each))).toEqual([]);
  expect((kept ?? []).every((each) => existsSync(each))).toBe(true);
  expect((foreign ?? []).every((each) => existsSync(each))).toBe(true);
  remove(owner, () => false);
  remove(`${owner}x`, () => false);
});
