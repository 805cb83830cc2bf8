/** Rights over the kernel: capabilities, namespaces, and system calls past what namespaces separate. */
import { expect } from '@jest/globals';
import type { Attempt } from './attempt.ts';

const capabilities = 'no capability';
const filter = 'the system call filter';
const exists = expect.not.stringMatching(/^ENOSYS$/);

/** One system call by its numbers on x86-64 and arm64; arguments are numbers, or Perl expressions. */
const syscall = (
  what: string,
  [x64, arm64, ...args]: [x64: number, arm64: number, ...args: (number | string)[]],
  rest: Pick<Attempt, 'stoppedBy' | 'inside' | 'outside'>,
): Attempt => ({
  what,
  ...rest,
  // A function's closure is not sent with its text.
  run: `(kit, { arch }) => kit.syscall(arch === 'arm64' ? ${arm64} : ${x64}, ...${JSON.stringify(args)})`,
});

const refused = { stoppedBy: capabilities, inside: 'EPERM' };
/** With the rights of its own user namespace, the same call succeeds. */
const refusedHere = { ...refused, outside: 'done' };
/** The control: the kernel has the call, whatever it returns for these arguments. */
const missingHere = { stoppedBy: filter, inside: 'ENOSYS', outside: exists };

export const kernelAttempts: Attempt[] = [
  {
    what: 'has rights left over, or gets them from a program with the setuid bit',
    stoppedBy: 'no_new_privs, no capability, an own user id',
    run: (kit) => {
      const status = String(kit.read('/proc/self/status'));
      return ['NoNewPrivs', 'Seccomp', 'CapEff', 'CapPrm', 'CapInh', 'CapBnd', 'CapAmb'].map(
        (name) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1],
      );
    },
    inside: ['1', '2', ...Array.from({ length: 5 }, () => '0000000000000000')],
  },
  {
    what: 'becomes root',
    stoppedBy: 'a user namespace with one user in it',
    run: (kit) => kit.perl('$! = 0; $< = 0; print why(), " "; $! = 0; $( = 0; print why()'),
    inside: 'EINVAL EINVAL',
    outside: 'none none',
  },
  syscall('makes a user namespace', [272, 97, 0x10000000], {
    stoppedBy: 'disabled user namespaces',
    inside: 'ENOSPC',
    outside: 'done',
  }),
  {
    what: 'nests a sandbox of its own',
    stoppedBy: 'disabled user namespaces',
    run: (kit) => kit.run('unshare', ['--user', '--map-root-user', 'true']),
    inside: { status: 1, stdout: '', stderr: expect.stringContaining('unshare') },
    outside: { status: 0, stdout: '', stderr: '' },
  },
  syscall('makes a mount namespace', [272, 97, 0x00020000], refusedHere),
  syscall('makes a network namespace', [272, 97, 0x40000000], refusedHere),
  syscall('mounts a file system', [165, 40, '"none"', '"/dev/shm"', '"tmpfs"', 0, 0], refusedHere),
  syscall(
    'mounts its sockets writable',
    [165, 40, '"none"', '"/run/platform"', '"none"', 0x1020, 0],
    refused,
  ),
  syscall('takes a mount away to see what is below', [166, 39, '"/proc"', 2], refused),
  syscall('changes its root', [161, 51, '"/tmp"'], refusedHere),
  syscall('exchanges its root', [155, 41, '"/tmp"', '"/tmp"'], {
    stoppedBy: capabilities,
    inside: 'EPERM',
    outside: expect.not.stringMatching(/^EPERM$/),
  }),
  syscall('opens a file system context', [430, 430, '"tmpfs"', 0], refusedHere),
  syscall('makes a device', [259, 33, -100, '"/tmp/mem"', 0o20666, 0x0101], refused),
  syscall('sets the host name', [170, 161, '"owned"', 5], refusedHere),
  {
    what: 'joins the namespaces of its first process',
    stoppedBy: capabilities,
    run: (kit, { arch }) =>
      ['mnt', 'net', 'user', 'pid'].map((kind) =>
        kit.perl(
          `open(my $f, '<', '/proc/1/ns/${kind}') or do { print 'open ', why(); exit }; print syscall(${arch === 'arm64' ? 268 : 308}, fileno($f), 0) == -1 ? why() : 'done'`,
        ),
      ),
    inside: ['EPERM', 'EPERM', 'EINVAL', 'EPERM'],
    insideServer: Array.from({ length: 4 }, () => 'open EACCES'),
  },
  {
    what: 'traces the first process of its sandbox, to act in its place',
    stoppedBy: 'a first process that may do no more than any other in there',
    run: (kit, { arch }) => {
      const status = String(kit.read('/proc/1/status'));
      const rights = ['NoNewPrivs', 'Seccomp', 'CapEff', 'CapPrm', 'CapBnd'].map(
        (name) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1],
      );
      const same = kit.attempt(() =>
        ['user', 'pid', 'net', 'mnt'].every(
          (name) =>
            kit.fs.readlinkSync(`/proc/1/ns/${name}`) === kit.fs.readlinkSync(`/proc/self/ns/${name}`),
        ),
      );
      return { attached: kit.syscall(arch === 'arm64' ? 117 : 101, 16, 1, 0, 0), rights, same };
    },
    inside: {
      attached: expect.any(String),
      rights: ['1', '2', '0000000000000000', '0000000000000000', '0000000000000000'],
      same: true,
    },
    // The relay shows nothing of itself, not even its namespaces.
    insideServer: {
      attached: 'EPERM',
      rights: ['1', '2', '0000000000000000', '0000000000000000', '0000000000000000'],
      same: 'EACCES',
    },
  },
  {
    what: 'takes open files out of the first process of its sandbox',
    stoppedBy: 'starting it with nothing worth taking',
    run: (kit) =>
      kit.perl(`my $p = syscall(434, 1, 0); die if $p < 0;
        print join(' ', map { my $f = syscall(438, $p, $_, 0);
          $f < 0 ? () : readlink("/proc/self/fd/$f") } 0..19)`),
    inside: expect.stringMatching(/^\/dev\/null( socket:\[\d+\]){2}( anon_inode:\[eventfd\])*$/),
    insideServer: '0',
  },
  syscall('reads a kernel keyring', [250, 219, 0, -3, 0], missingHere),
  syscall('adds a key to a kernel keyring', [248, 217, '"user"', '"k"', '"v"', 1, -3], missingHere),
  syscall('asks for a key of a kernel keyring', [249, 218, '"user"', '"k"', 0, 0], missingHere),
  syscall('loads a BPF program', [321, 280, 0, 0, 0], missingHere),
  syscall('opens performance counters', [298, 241, 0, 0, -1, -1, 0], missingHere),
  syscall('handles page faults of the kernel', [323, 282, 0], missingHere),
  syscall('opens an io_uring past the filter', [425, 425, 1, 0], missingHere),
  syscall('opens a file by its handle', [304, 265, -100, 0, 0], missingHere),
  syscall('loads a kernel module', [175, 105, 0, 0, '""'], {
    ...refused,
    inside: expect.stringMatching(/^(EPERM|ENOSYS)$/),
  }),
  syscall('reads the log of the kernel', [103, 116, 10, 0, 0], missingHere),
  syscall('restarts the machine', [169, 142, 0xfee1dead, 672274793, 0x89abcdef, 0], refused),
  syscall('sets the clock', [164, 170, 0, 0], refused),
  syscall('calls the kernel by the numbers of x32', [0x40000000 + 39, 0x40000000 + 39], {
    stoppedBy: filter,
    inside: 'ENOSYS',
  }),
  {
    what: 'calls the kernel by the numbers of 32-bit programs',
    stoppedBy: filter,
    run: (kit, { workspace }) => {
      const code = Buffer.from('b801000000bb2a000000cd80f4', 'hex');
      const elf = Buffer.alloc(84 + code.length);
      Buffer.from('7f454c4601010100', 'hex').copy(elf);
      [2, 3].forEach((value, index) => {
        elf.writeUInt16LE(value, 16 + index * 2);
      });
      [1, 0x08048054, 52, 0, 0].forEach((value, index) => {
        elf.writeUInt32LE(value, 20 + index * 4);
      });
      [52, 32, 1, 0, 0, 0].forEach((value, index) => {
        elf.writeUInt16LE(value, 40 + index * 2);
      });
      [1, 0, 0x08048000, 0x08048000, elf.length, elf.length, 5, 0x1000].forEach((value, index) => {
        elf.writeUInt32LE(value, 52 + index * 4);
      });
      code.copy(elf, 84);
      kit.fs.writeFileSync(`${workspace}/exit-42`, elf, { mode: 0o755 });
      const { status, signal, error } = kit.childProcess.spawnSync(`${workspace}/exit-42`);
      return error ? kit.codeOf(error) : (signal ?? status);
    },
    inside: expect.stringMatching(/^(SIG|ENOEXEC)/),
    ...(process.arch === 'x64' ? { outside: 42 } : {}),
  },
  {
    what: 'types into the terminal that the platform was started from',
    stoppedBy: 'a terminal session of its own',
    run: (kit) => [
      kit.attempt(() => typeof kit.fs.openSync('/dev/tty', 'r+')),
      kit.perl(
        'my $c = "x"; print map { ioctl($_, 0x5412, $c) ? "typed " : why() . " " } (*STDIN, *STDOUT, *STDERR)',
      ),
    ],
    inside: ['ENXIO', 'ENOTTY ENOTTY ENOTTY '],
  },
];
