/** The cost of a line is bounded by its length: an agent chooses what it sends. */
import { expect, it } from '@jest/globals';
import { parseLine } from '../../../../sidecar/json-rpc/parse-line.ts';

/** CPU time, so that a busy machine does not matter. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
const plainMegabyte = `[${Array.from({ length: 100_000 }, (_, index) => `"${index}abc"`).join(',')}]`;

it.each([
  ['nesting', '['.repeat(1024 * 1024)],
  ['nesting that closes', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
  ['keys', `{${Array.from({ length: 100_000 }, (_, index) => `"${index}":1`).join(',')}}`],
  ['escaped quotes', `{"a":"${'\\"'.repeat(500_000)}"}`],
  ['backslashes', `{"a":"${'\\\\'.repeat(500_000)}"}`],
  ['space', `{${' '.repeat(1024 * 1024 - 2)}}`],
])(
  'takes at most a hundred times as long as JSON.parse for a plain megabyte, for one of %s',
  (_title, line) => {
    const bytes = Buffer.from(line);
    expect(bytes.length).toBeGreaterThan(900_000);
    const plain = processorTime(() => JSON.parse(plainMegabyte));
    expect(processorTime(() => parseLine(bytes))).toBeLessThan(100 * plain);
  },
);
