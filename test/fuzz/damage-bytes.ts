/** Damages a line at byte level, so that one parser sees one line and another sees two. */
import type { SeededRandom } from '../support/seeded-random.ts';

const oddBytes = [
  ...[
    '0d',
    '00',
    '09',
    '1b',
    '7f',
    '80',
    'ff',
    'c0ae',
    'c080',
    'eda080',
    'edb080',
    'f4908080',
    'efbbbf',
    'fffe',
  ],
  ...['feff', 'e280a8', 'c285', '0d0a', '0a', '22', '5c', '2c', '7d', '5d', '2f2a2a2f'],
].map((bytes) => Buffer.from(bytes, 'hex'));
const separators = [
  ...['', ' ', '\r', '\n', '\r\n', '\n\r', ',', '\0', '\t', '\v', '\f', '\x1c', '\x1e', '\x85'].map((bytes) =>
    Buffer.from(bytes, 'latin1'),
  ),
  ...['\u2028', '\u2029', '\u0085', '\ufeff', '\u00a0'].map((text) => Buffer.from(text)),
];

/** Two messages on one line, one inside the other, over several lines, or in a batch. */
export function combine(line: Buffer, other: Buffer, random: SeededRandom): Buffer {
  const separator = random.pick(separators);
  switch (random.below(5)) {
    case 0:
      return Buffer.concat([line, separator, other]);
    case 1:
      return Buffer.concat([other, separator, line]);
    case 2:
      return Buffer.from(`[${line.toString('latin1')},${other.toString('latin1')}]`, 'latin1');
    case 3:
      return Buffer.from(`[${other.toString('latin1')}]`, 'latin1');
    default: {
      const at = random.below(line.length);
      return Buffer.concat([line.subarray(0, at), separator, other, separator, line.subarray(at)]);
    }
  }
}

export function damage(line: Buffer, random: SeededRandom): Buffer {
  const at = random.below(line.length + 1);
  const [before, after] = [line.subarray(0, at), line.subarray(at)];
  switch (random.below(7)) {
    case 0:
      return withFlippedBit(line, Math.min(at, line.length - 1), random);
    case 1:
    case 2:
      return Buffer.concat([before, random.pick(oddBytes), after]);
    case 3:
      return Buffer.concat([before, line.subarray(at + 1 + random.below(4))]);
    case 4:
      return Buffer.concat([line, random.pick(oddBytes)]);
    case 5:
      return Buffer.concat([random.pick(oddBytes), line]);
    default:
      return random.chance(20)
        ? Buffer.from(line.toString('utf8'), 'utf16le')
        : Buffer.concat([line, Buffer.from('\n'), after]);
  }
}

function withFlippedBit(line: Buffer, at: number, random: SeededRandom): Buffer {
  const flipped = Buffer.from(line);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
  return flipped;
}
