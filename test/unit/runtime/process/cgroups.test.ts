/**
 * Where control groups are found, and which limits are reported at the start: on directory trees like those
 * of systemd, a container and an older kernel. `integration/runtime/limits` shows the limits' effect on real
 * processes, on the machine's own version.
 */
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
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Cgroups, findCgroups, makeCgroups } from '../../../../runtime/process/host/cgroups.ts';
import { limitsSentence } from '../../../../runtime/process/limits-sentence.ts';

const limits = { memoryBytes: 512 * 1024 * 1024, cpuMillis: 1500, processes: 99 };
const byItself = (limited: string) =>
  `limits of sandboxes: each process by itself (${limited}) and a lower priority; control groups cannot be written here`;
const byGroups = (version: 1 | 2) =>
  `limits of sandboxes: control groups, version ${version} (memory, processor, number of processes)`;

/** The files that the kernel creates in a group, for each controller. */
const filesOf: Record<1 | 2, Record<string, string[]>> = {
  2: {
    memory: ['memory.max', 'memory.swap.max'],
    pids: ['pids.max'],
    cpu: ['cpu.max', 'cpu.weight'],
    io: ['io.max'],
  },
  1: {
    memory: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
    pids: ['pids.max'],
    cpu: ['cpu.cfs_quota_us', 'cpu.shares'],
  },
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cgroups-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes what `/proc` says of this process. */
function procSays(mountinfo: string[], cgroup: string[]): void {
  mkdirSync(join(root, 'proc/self'), { recursive: true });
  writeFileSync(join(root, 'proc/self/mountinfo'), `${mountinfo.join('\n')}\n`);
  writeFileSync(join(root, 'proc/self/cgroup'), `${cgroup.join('\n')}\n`);
}

/** A group of version 2 whose children have these controllers. */
function unified(path: string, controllers: string): void {
  mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, path, 'cgroup.subtree_control'), `${controllers}\n`);
}

/** Creates a group like the kernel: with the files of the controllers that its parent delegates. */
function makeGroup(directory: string): void {
  mkdirSync(directory);
  const above = dirname(directory);
  const control = join(above, 'cgroup.subtree_control');
  const version = existsSync(control) ? 2 : 1;
  const controllers =
    version === 2
      ? readFileSync(control, 'utf8').trim().split(' ')
      : above.replace(/.*cgroup\/([^/]+).*/, '$1').split(',');
  for (const file of controllers.flatMap((each) => filesOf[version][each] ?? [])) {
    writeFileSync(join(directory, file), 'max\n');
  }
}
const find = () => {
  const found = findCgroups({ root, makeGroup });
  return found && { ...found, parents: found.parents.map((parent) => parent.slice(root.length)) };
};

const systemd = '35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';
const all = 'cpuset cpu io memory pids';

describe('control groups of version 2', () => {
  it('are created in the nearest group that delegates every limit, which the own one does not while it has processes', () => {
    procSays([systemd], ['0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope']);
    unified('sys/fs/cgroup', all);
    unified('sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service', all);
    unified('sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice', all);
    unified('sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope', '');
    expect(find()).toEqual({
      version: 2,
      parents: ['/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice'],
    });
  });

  it('are found in a container, whose own group is the root of the tree', () => {
    procSays(['1 0 0:30 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw'], ['0::/docker/abc']);
    unified('sys/fs/cgroup', all);
    expect(find()).toEqual({ version: 2, parents: ['/sys/fs/cgroup'] });
  });

  it('are unavailable if a limit is missing, as with systemd that delegates only memory and pids', () => {
    procSays([systemd], ['0::/user.slice/a.scope']);
    unified('sys/fs/cgroup', 'memory pids');
    unified('sys/fs/cgroup/user.slice', 'memory pids');
    unified('sys/fs/cgroup/user.slice/a.scope', '');
    expect(find()).toBeNull();
  });

  it('are unavailable if no process can enter', () => {
    procSays([systemd], ['0::/']);
    unified('sys/fs/cgroup', all);
    const closed = (directory: string) => {
      makeGroup(directory);
      mkdirSync(join(directory, 'cgroup.procs'));
    };
    expect(findCgroups({ root, makeGroup: closed })).toBeNull();
  });

  it('are unavailable if none can be created', () => {
    procSays([systemd], ['0::/']);
    unified('sys/fs/cgroup', all);
    const refuse = () => {
      throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
    };
    expect(findCgroups({ root, makeGroup: refuse })).toBeNull();
  });

  it('have each limit of a sandbox, in the format of their version', () => {
    unified('sys/fs/cgroup', all);
    const group = join(root, 'sys/fs/cgroup/one');
    makeCgroups([group], limits, makeGroup);
    const read = (file: string) => readFileSync(join(group, file), 'utf8').trim();
    expect(Object.fromEntries(readdirSync(group).map((file) => [file, read(file)]))).toEqual({
      'memory.max': '536870912',
      'memory.swap.max': '0',
      'pids.max': '99',
      'cpu.max': '150000 100000',
      'cpu.weight': '11',
      'io.max': 'max',
    });
  });
});

describe('control groups of version 1', () => {
  const controllers = ['memory', 'cpu,cpuacct', 'pids'];
  const mounts = controllers.map(
    (each, at) => `${at + 2} 1 0:${at} / /sys/fs/cgroup/${each} rw - cgroup cgroup rw,${each}`,
  );
  const memberships = controllers.map((each, at) => `${at + 1}:${each}:/job`);
  const trees = (...names: string[]) => {
    for (const name of names) {
      mkdirSync(join(root, 'sys/fs/cgroup', name, 'job'), { recursive: true });
    }
  };

  it('are used beside a tree of version 2 that limits nothing', () => {
    procSays(
      [...mounts, '9 1 0:9 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw'],
      [...memberships, '0::/job'],
    );
    unified('sys/fs/cgroup/unified', '');
    unified('sys/fs/cgroup/unified/job', '');
    trees(...controllers);
    expect(find()).toEqual({
      version: 1,
      parents: controllers.map((each) => `/sys/fs/cgroup/${each}/job`),
    });
  });

  it('are unavailable if one controller has no tree', () => {
    procSays(mounts.slice(1), memberships.slice(1));
    trees(...controllers);
    expect(find()).toBeNull();
  });
});

describe('unknown control groups', () => {
  it('are unavailable: /proc has no entry, or an unexpected one', () => {
    expect(find()).toBeNull();
    procSays(['no mount at all'], ['nothing']);
    expect(find()).toBeNull();
  });
});

describe('the start-up message about limits', () => {
  const started = (cgroups: Cgroups | null, isRoot = false) => limitsSentence(cgroups, isRoot);

  it('names what was found: groups of a version, or limits per process', () => {
    procSays([systemd], ['0::/']);
    unified('sys/fs/cgroup', all);
    expect(started(find())).toBe(byGroups(2));
    writeFileSync(join(root, 'sys/fs/cgroup/cgroup.subtree_control'), 'memory pids\n');
    expect(started(find())).toBe(byItself('memory, number'));
    expect(started({ version: 1, parents: ['/a', '/b', '/c'] })).toBe(byGroups(1));
  });

  it('names no number of processes for root without groups, whose processes the kernel does not count', () => {
    expect(started(null, true)).toBe(byItself('memory'));
    procSays([systemd], ['0::/']);
    unified('sys/fs/cgroup', all);
    expect(started(find(), true)).toBe(byGroups(2));
  });
});
