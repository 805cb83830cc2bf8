/**
 * Pure: the system call filter of every sandbox, as the BPF program that bubblewrap loads. It blocks what
 * namespaces leave open: kernel keyrings, socket families that no network namespace confines (vsock reaches
 * the hypervisor), and io_uring, which would bypass this filter to open sockets. Everything else is left to
 * namespaces and missing capabilities.
 */

interface Architecture {
  /** AUDIT_ARCH_*: system calls of another architecture have other numbers. */
  audit: number;
  socket: number;
  refused: readonly number[];
}

const ioUring = [425, 426, 427];

/**
 * By Node's `process.arch`. Refused: add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, kexec,
 * open_by_handle_at, syslog.
 */
const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    socket: 41,
    refused: [248, 249, 250, 321, 298, 323, 246, 320, 304, 103, ...ioUring],
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    refused: [217, 218, 219, 280, 241, 282, 104, 294, 265, 116, ...ioUring],
  },
};

/**
 * AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, which the C library uses to list the
 * addresses of its own namespace.
 */
const socketFamilies = [1, 2, 10, 16];
/** The first of the second set of numbers that x86-64 has (x32). */
const x32Bit = 0x40000000;

const errno = { enosys: 38, eafnosupport: 97 };
const offset = { call: 0, architecture: 4, firstArgument: 16 };
const code = { load: 0x20, jumpIfEqual: 0x15, jumpIfAtLeast: 0x35, return: 0x06 };
const allow = 0x7fff0000;
const refuseWith = (number: number) => 0x00050000 | number;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

/** Null for an architecture whose numbers are unknown here: then there is no sandbox. */
export function renderSeccomp(arch: string): Buffer | null {
  const known = architectures[arch];
  return known === undefined ? null : assemble(program(known));
}

/** Forward jumps skip the verdicts that do not apply. */
function program({ audit, socket, refused }: Architecture): Instruction[] {
  return [
    [code.load, 0, 0, offset.architecture],
    ...unless(code.jumpIfEqual, audit, refuseWith(errno.enosys)),
    [code.load, 0, 0, offset.call],
    ...when(code.jumpIfAtLeast, x32Bit, refuseWith(errno.enosys)),
    ...refused.flatMap((call) => when(code.jumpIfEqual, call, refuseWith(errno.enosys))),
    ...unless(code.jumpIfEqual, socket, allow),
    [code.load, 0, 0, offset.firstArgument],
    ...socketFamilies.flatMap((family) => when(code.jumpIfEqual, family, allow)),
    [code.return, 0, 0, refuseWith(errno.eafnosupport)],
  ];
}

const when = (test: number, value: number, answer: number): Instruction[] => [
  [test, 0, 1, value],
  [code.return, 0, 0, answer],
];

const unless = (test: number, value: number, answer: number): Instruction[] => [
  [test, 1, 0, value],
  [code.return, 0, 0, answer],
];

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([operation, jumpTrue, jumpFalse, value], index) => {
    bytes.writeUInt16LE(operation, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
