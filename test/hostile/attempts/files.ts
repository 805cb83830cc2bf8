/** Files, environment and processes that are not the container's own. */
import { expect } from '@jest/globals';
import type { Attempt } from './attempt.ts';

const mounts = 'an allow-list of mounts';
const gone = 'ENOENT';
const somethingElse = expect.not.stringMatching(/^ENOENT$/);

export const fileAttempts: Attempt[] = [
  {
    what: 'reads the master keys of the platform',
    stoppedBy: mounts,
    run: (kit, { platform }) => kit.read(`${platform.dataDirectory}/keys.json`),
    inside: gone,
    outside: expect.stringContaining('master_keys'),
  },
  {
    what: 'lists the data directory of the platform',
    stoppedBy: mounts,
    run: (kit, { platform }) => kit.list(platform.dataDirectory),
    inside: gone,
    outside: expect.arrayContaining(['keys.json', 'sessions']),
  },
  {
    what: 'reads the files of the database and of Temporal',
    stoppedBy: mounts,
    run: (kit, { platform }) =>
      ['postgres/data/PG_VERSION', 'temporal/temporal.db'].map((file) =>
        kit.attempt(() => kit.fs.statSync(`${platform.dataDirectory}/${file}`).size > 0),
      ),
    inside: [gone, gone],
    outside: [true, true],
  },
  {
    what: 'lists the directory of another session',
    stoppedBy: mounts,
    run: (kit, { otherSession }) => kit.list(otherSession.directory),
    inside: gone,
    outside: expect.arrayContaining(['agent', 'audit', 'servers', 'work']),
  },
  {
    what: 'opens the audit spool of another session to change it',
    stoppedBy: mounts,
    run: (kit, { otherSession }) =>
      kit.attempt(() => kit.fs.closeSync(kit.fs.openSync(`${otherSession.directory}/audit/calls`, 'r+'))),
    inside: gone,
    outside: 'done',
  },
  {
    what: 'reads the source of the platform',
    stoppedBy: mounts,
    run: (kit, { platform }) => kit.read(`${platform.projectDirectory}/package.json`),
    inside: gone,
    outside: expect.stringContaining('gatepost'),
  },
  {
    what: 'reads homes, password hashes, logs, devices and what else the machine has',
    stoppedBy: mounts,
    run: (kit) =>
      ['/root', '/home', '/etc/shadow', '/var/log', '/sys/class', '/boot', '/mnt', '/srv'].map((path) =>
        kit.attempt(() => typeof kit.fs.statSync(path).mode),
      ),
    inside: Array.from({ length: 8 }, () => gone),
    outside: Array.from({ length: 8 }, () => somethingElse),
  },
  {
    what: 'finds sockets of container engines, of a bus or of an ssh agent',
    stoppedBy: mounts,
    run: (kit) => [kit.list('/run'), kit.list('/var/run'), process.env['SSH_AUTH_SOCK'] ?? 'not set'],
    inside: [['platform'], gone, 'not set'],
    outside: [expect.not.arrayContaining(['platform']), expect.any(Array), expect.any(String)],
  },
  {
    what: 'follows a link from its own directory to the keys',
    stoppedBy: mounts,
    run: (kit, { platform, workspace }) => {
      const link = `${workspace}/way-out`;
      kit.fs.rmSync(link, { force: true });
      kit.fs.symlinkSync(`${platform.dataDirectory}/keys.json`, link);
      return kit.read(link);
    },
    inside: gone,
    outside: expect.stringContaining('master_keys'),
  },
  {
    what: 'goes to the keys through the root and the directory of its first process',
    stoppedBy: 'the process id namespace, whose first process has the same view',
    run: (kit, { platform }) =>
      ['/proc/1/root', '/proc/self/root', '/proc/1/cwd', '/proc/self/cwd/../..'].map((root) =>
        kit.attempt(() => kit.fs.statSync(`${root}${platform.dataDirectory}/keys.json`).size > 0),
      ),
    inside: [gone, gone, gone, gone],
    // The first process of a server's sandbox is the relay, which shows nothing of itself.
    insideServer: ['EACCES', gone, 'EACCES', gone],
  },
  {
    what: 'replaces programs and configuration that it was given',
    stoppedBy: 'read-only mounts',
    run: (kit, { workspace }) => {
      const write = (path: string) => kit.attempt(() => kit.fs.writeFileSync(path, 'x'));
      const refused = [
        '/x',
        '/etc/passwd',
        '/usr/bin/env',
        '/opt/platform/relay.js',
        '/opt/platform/bin/relay',
      ];
      return { own: write(`${workspace}/x`), refused: refused.map(write) };
    },
    inside: { own: 'done', refused: Array.from({ length: 5 }, () => 'EROFS') },
  },
  {
    what: 'looks for credentials in its environment',
    stoppedBy: 'a cleared environment',
    run: () => Object.keys(process.env).sort().join(' '),
    inside:
      'CONFIGURED HOME LANG PATH PIP_NO_INDEX PLATFORM_CONFIG PLATFORM_SESSION_ID PLATFORM_SIDECAR_SOCKET PWD TMPDIR UV_OFFLINE npm_config_offline',
    insideServer: 'HOME LANG PATH PIP_NO_INDEX PWD TMPDIR UV_OFFLINE npm_config_offline',
  },
  {
    what: 'writes through what it was handed open',
    stoppedBy: 'closing it before the start; the host only reads what is left',
    run: (kit) =>
      [0, 1, 2]
        .map((fd) => kit.attempt(() => kit.fs.readlinkSync(`/proc/self/fd/${fd}`)))
        .concat(kit.perl('opendir(D, "/proc/self/fd"); print join(" ", sort grep { /[0-9]/ } readdir(D))'))
        .map((seen) => String(seen).replace(/:\[\d+\]$/, '')),
    inside: ['/dev/null', 'socket', 'socket', '0 1 2 3'],
    insideServer: ['pipe', 'pipe', 'socket', '0 1 2 3'],
  },
  {
    what: 'opens devices of the machine',
    stoppedBy: 'an own /dev',
    run: (kit) => String(kit.list('/dev')),
    inside: 'core,fd,full,null,ptmx,pts,random,shm,stderr,stdin,stdout,tty,urandom,zero',
  },
];

export const processAttempts: Attempt[] = [
  {
    what: 'looks for processes beside its own',
    stoppedBy: 'an own process id namespace',
    run: (kit) =>
      kit.fs
        .readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => String(kit.read(`/proc/${pid}/comm`)).trim())
        .sort()
        .join(' '),
    inside: 'bwrap node',
    insideServer: 'node relay',
    outside: expect.stringContaining('postgres'),
  },
  {
    what: 'reads environment, memory, files and command line of the worker',
    stoppedBy: 'an own process id namespace',
    run: (kit, { platformPid }) => [
      String(kit.read(`/proc/${platformPid}/environ`)).replace(/^.*SESSION_KEY_SEED.*$/s, 'the seed'),
      ...['fd', 'cmdline', 'mem', 'root'].map((name) =>
        kit.attempt(() => typeof kit.fs.lstatSync(`/proc/${platformPid}/${name}`).mode),
      ),
    ],
    inside: [gone, gone, gone, gone, gone],
    outside: ['the seed', 'number', 'number', 'number', 'number'],
  },
  {
    what: 'reads what the first process of its sandbox was started with',
    stoppedBy: 'starting it with nothing worth reading',
    run: (kit) =>
      [...`${kit.read('/proc/1/environ')}`.matchAll(/(?:^|\0)([A-Z_]+)=/g)].map(([, name]) => name).sort(),
    inside: ['HOME', 'PATH', 'PWD'],
    insideServer: [],
  },
  {
    what: 'writes into the memory of the first process of its sandbox',
    stoppedBy: 'a read-only /proc',
    run: (kit) => kit.attempt(() => kit.fs.openSync('/proc/1/mem', 'r+') > 0),
    inside: 'EROFS',
  },
  {
    what: 'sends signals to the worker',
    stoppedBy: 'an own process id namespace',
    run: (kit, { platformPid }) => kit.attempt(() => process.kill(platformPid, 0)),
    inside: 'ESRCH',
    outside: true,
  },
  {
    what: 'changes settings of the kernel',
    stoppedBy: 'a read-only /proc',
    run: (kit) =>
      ['sys/kernel/core_pattern', 'sys/kernel/hostname', 'self/oom_score_adj', 'self/uid_map'].map((name) =>
        kit.attempt(() => kit.fs.writeFileSync(`/proc/${name}`, '0')),
      ),
    inside: Array.from({ length: 4 }, () => 'EROFS'),
  },
  {
    what: 'reads the memory and the log of the kernel',
    stoppedBy: 'no capability',
    run: (kit) =>
      ['kcore', 'kmsg'].map((name) => kit.attempt(() => kit.fs.openSync(`/proc/${name}`, 'r') > 0)),
    inside: [expect.stringMatching(/^(ENOENT|EPERM|EACCES)$/), expect.stringMatching(/^(EPERM|EACCES)$/)],
  },
];
