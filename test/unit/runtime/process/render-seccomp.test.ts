import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { renderSeccomp } from '../../../../runtime/process/render-seccomp.ts';
import { checkProperty } from '../../../support/property.ts';

const allowed = 0x7fff0000;
const noSuchCall = 0x00050000 | 38;
const noSuchFamily = 0x00050000 | 97;
const machines = [
  { arch: 'x64', audit: 0xc000003e, socket: 41, keyctl: 250, syslog: 103, read: 0 },
  { arch: 'arm64', audit: 0xc00000b7, socket: 198, keyctl: 219, syslog: 116, read: 63 },
] as const;

/** Evaluates the program like the kernel: the result for one call. */
function decide(filter: Buffer, call: { audit: number; nr: number; argument?: number }): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.nr, 0);
  data.writeUInt32LE(call.audit, 4);
  data.writeUInt32LE(call.argument ?? 0, 16);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) {
      return value;
    }
    if (code === 0x20) {
      accumulator = data.readUInt32LE(value);
    } else {
      const holds = code === 0x15 ? accumulator === value : accumulator >= value;
      at += filter.readUInt8(at * 8 + (holds ? 2 : 3));
    }
  }
  throw new Error('the program ran past its end');
}

describe.each(machines)(
  'the system call filter for $arch',
  ({ arch, audit, socket, keyctl, syslog, read }) => {
    const filter = renderSeccomp(arch) ?? Buffer.alloc(0);
    const answer = (nr: number, argument?: number) =>
      decide(filter, { audit, nr, ...(argument === undefined ? {} : { argument }) });

    it('allows Unix, IPv4, IPv6 and netlink sockets, and no others', () => {
      checkProperty(
        fc.property(fc.nat({ max: 0xffffffff }), (family) => {
          expect(answer(socket, family)).toBe([1, 2, 10, 16].includes(family) ? allowed : noSuchFamily);
        }),
        { examples: [[1], [2], [10], [16], [17], [38], [40], [0]] },
      );
    });

    it('blocks keyrings, the kernel log and io_uring, whatever the arguments', () => {
      for (const nr of [keyctl, keyctl - 1, keyctl - 2, syslog, 425, 426, 427]) {
        expect(answer(nr)).toBe(noSuchCall);
        expect(answer(nr, 1)).toBe(noSuchCall);
      }
    });

    it('allows the usual calls', () => {
      expect(answer(read)).toBe(allowed);
      expect(answer(read, 40)).toBe(allowed);
    });

    it('refuses calls of another architecture, and of the x32 numbers', () => {
      checkProperty(
        fc.property(fc.nat({ max: 500 }), (nr) => {
          expect(decide(filter, { audit: 0x40000003, nr })).toBe(noSuchCall);
          expect(answer(0x40000000 + nr)).toBe(noSuchCall);
        }),
      );
    });
  },
);

describe('an architecture without a filter', () => {
  it('has no sandbox', () => {
    expect(renderSeccomp('riscv64')).toBeNull();
  });
});
