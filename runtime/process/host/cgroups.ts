/**
 * Control groups that limit one sandbox each: version 2, or version 1 with a tree per controller,
 * wherever they are writable.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { productSlug } from '../../../contract/product-name.ts';
import type { ContainerLimits } from '../render-launch.ts';

const controllers = ['memory', 'pids', 'cpu'] as const;
type Controller = (typeof controllers)[number];

export interface Cgroups {
  version: 1 | 2;
  /** Parent directories for the sandboxes' groups: one for each tree. */
  parents: string[];
}

const cpuPeriodMicros = 100_000;
/**
 * A tenth of a process of the platform with version 1, of the group that has all of them with version 2;
 * without groups it is `nice -n 10`.
 */
const cpuWeight = { version2: { tenth: 11, whole: 100 }, version1: { tenth: 110, whole: 1024 } };
const removalRounds = 40;
const removalPauseMs = 50;

/** The files that set the limits. A limit on swap is missing where the kernel does not account for it. */
function files(version: 1 | 2, { memoryBytes, cpuMillis, processes, cpuShare = 'tenth' }: ContainerLimits) {
  const quotaMicros = (cpuMillis * cpuPeriodMicros) / 1000;
  const optional = false;
  return version === 2
    ? [
        { name: 'memory.max', value: memoryBytes, optional },
        { name: 'memory.swap.max', value: 0, optional: true },
        { name: 'pids.max', value: processes, optional },
        { name: 'cpu.max', value: `${quotaMicros} ${cpuPeriodMicros}`, optional },
        { name: 'cpu.weight', value: cpuWeight.version2[cpuShare], optional: true },
      ]
    : [
        { name: 'memory.limit_in_bytes', value: memoryBytes, optional },
        { name: 'memory.memsw.limit_in_bytes', value: memoryBytes, optional: true },
        { name: 'pids.max', value: processes, optional },
        { name: 'cpu.cfs_quota_us', value: quotaMicros, optional },
        { name: 'cpu.shares', value: cpuWeight.version1[cpuShare], optional: true },
      ];
}

/** Where control groups are looked for. */
export interface CgroupPlace {
  /** Replaces `/`. */
  root: string;
  /** Creates a directory; the kernel puts the files of its limits into it. */
  makeGroup(directory: string): void;
}

const makeGroup = (directory: string) => void mkdirSync(directory, { recursive: true });
const thisMachine: CgroupPlace = { root: '/', makeGroup };

/**
 * Null where they cannot set limits. Each place is tested with a process: the platform's own group
 * first, then its ancestors.
 */
export function findCgroups(place: CgroupPlace = thisMachine): Cgroups | null {
  if (process.platform !== 'linux') {
    return null;
  }
  try {
    const trees = { 2: treesOf(2, place.root), 1: treesOf(1, place.root) };
    for (const version of [2, 1] as const) {
      const parents = trees[version].map((tree) => writableParent(version, tree, place));
      const found = parents.filter((parent) => parent !== null);
      if (found.length > 0 && found.length === parents.length) {
        return { version, parents: found };
      }
    }
  } catch {
    // Unparsable /proc: treated as having none.
  }
  return null;
}

/** The directories of one sandbox. `owner` is one installation's, `name` its session and container. */
export function cgroupsOf({ parents }: Cgroups, owner: string, name: string): string[] {
  return parents.map((parent) => join(parent, `${productSlug}.${owner}.${name}`));
}

/** Creates a sandbox's directories with its limits. Throws when one cannot be set. */
export function makeCgroups(
  directories: readonly string[],
  limits: ContainerLimits,
  make: CgroupPlace['makeGroup'] = makeGroup,
): void {
  for (const directory of directories) {
    make(directory);
    for (const version of [2, 1] as const) {
      for (const { name, value, optional } of files(version, limits)) {
        const file = join(directory, name);
        if (existsSync(file)) {
          write(file, String(value), optional);
        }
      }
    }
  }
}

/** Idempotent; a group that still has processes stays. */
export function removeCgroups(directories: readonly string[]): void {
  for (const directory of directories) {
    try {
      rmdirSync(directory);
    } catch {
      // Not there, or in use.
    }
  }
}

/** Their processes are ending: the last one may still be exiting. */
export async function removeCgroupsWhenEmpty(directories: readonly string[]): Promise<void> {
  for (let round = 0; round < removalRounds && directories.some((each) => existsSync(each)); round += 1) {
    removeCgroups(directories);
    await sleep(removalPauseMs, undefined, { ref: false });
  }
}

/** Removes the leftovers of this owner's sessions, except `kept` ones. */
export function removeLeftCgroups(
  { parents }: Cgroups,
  owner: string,
  isKept: (name: string) => boolean,
): void {
  const start = `${productSlug}.${owner}.`;
  for (const parent of parents) {
    const left = readdirSync(parent).filter(
      (each) => each.startsWith(start) && !isKept(each.slice(start.length)),
    );
    removeCgroups(left.map((each) => join(parent, each)));
  }
}

interface Tree {
  controllers: readonly Controller[];
  mount: string;
  /** The platform's own group in it. */
  own: string;
}

/** The trees that together have every controller; none when one is missing. */
function treesOf(version: 1 | 2, root: string): Tree[] {
  const read = (file: string) =>
    readFileSync(join(root, 'proc/self', file), 'utf8')
      .trim()
      .split('\n');
  const mounts = read('mountinfo').map(parseMount);
  const memberships = read('cgroup').map(parseMembership);
  const trees = memberships.flatMap(({ names, path }): Tree[] => {
    const known = version === 2 ? controllers : controllers.filter((each) => names.includes(each));
    const mount = mounts.find(({ type, options }) =>
      version === 2 ? type === 'cgroup2' : type === 'cgroup' && known.some((each) => options.includes(each)),
    );
    const isThis = version === 2 ? names.length === 0 : known.length > 0;
    if (!isThis || mount === undefined) {
      return [];
    }
    const point = join(root, mount.point);
    return [{ controllers: known, mount: point, own: join(point, relativeTo(mount.root, path)) }];
  });
  const complete = controllers.every((each) => trees.some((tree) => tree.controllers.includes(each)));
  return complete ? trees : [];
}

const parseMembership = (line: string) => {
  const [, names = '', ...path] = line.split(':');
  return { names: names.split(',').filter((name) => name !== ''), path: path.join(':') };
};

const parseMount = (line: string) => {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root = '/', point = '/'] = before.split(' ');
  const [type = '', , options = ''] = after.split(' ');
  return { type, root, point, options: options.split(',') };
};

const relativeTo = (root: string, path: string) =>
  root !== '/' && path.startsWith(root) ? path.slice(root.length) : path;

/** The nearest place where a group with every limit can be created and entered. */
function writableParent(version: 1 | 2, { mount, own }: Tree, place: CgroupPlace): string | null {
  for (let parent = own; parent.startsWith(mount); parent = dirname(parent)) {
    if (canLimit(version, parent, place)) {
      return parent;
    }
  }
  return null;
}

const trialLimits: ContainerLimits = { memoryBytes: 64 * 1024 * 1024, cpuMillis: 1000, processes: 16 };

function canLimit(version: 1 | 2, parent: string, place: CgroupPlace): boolean {
  const directory = join(parent, `${productSlug}.trial.${randomUUID()}`);
  try {
    makeCgroups([directory], trialLimits, place.makeGroup);
    const present = files(version, trialLimits).filter(
      ({ name, optional }) => !optional && existsSync(join(directory, name)),
    );
    const enter = ['-c', 'echo $$ > "$0/cgroup.procs"', directory];
    const wanted = version === 2 ? controllers.length : 1;
    return present.length >= wanted && spawnSync('/bin/sh', enter, { stdio: 'ignore' }).status === 0;
  } catch {
    return false;
  } finally {
    removeCgroups([directory]);
  }
}

function write(file: string, value: string, optional: boolean): void {
  try {
    writeFileSync(file, value);
  } catch (error) {
    if (!optional) {
      throw error;
    }
  }
}
