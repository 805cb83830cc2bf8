/** The cost of a line is bounded by its length: an agent chooses what it sends. */
import { expect, it } from '@jest/globals';
import { parseLine } from '../../../../sidecar/json-rpc/parse-line.ts';
import { bestRatio } from '../../../support/loop-hold.ts';

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
  async (_title, line) => {
    const bytes = Buffer.from(line);
    expect(bytes.length).toBeGreaterThan(900_000);
    const ratio = await bestRatio({
      subject: () => parseLine(bytes),
      control: () => JSON.parse(plainMegabyte),
      of: 'processor',
      below: 100,
    });
    expect(ratio).toBeLessThan(100);
  },
);
