import { parseArgs } from 'node:util';
import { orUsage, whole } from '../shared/harness.ts';

export const usage = `npm run bench:waiting -- [options]

Starts a Postgres and a Temporal server of its own, and in this process an API and a worker, with sweeps once a minute and a runtime
that starts nothing. Then it starts sessions, which wait for a message that never comes, and measures the processor time of all four
while they wait, beside what the four take with no session at all:
  time of a session   (processor time with N sessions - without) / seconds / N

  --sessions N,M   how many sessions wait (default 100,1000,2000)
  --seconds N      measured for each, after all run (default 180: three sweeps)
  --json FILE      writes every figure
  --check          exits with 1 when the aim is missed
`;

export interface Options {
  sessions: readonly number[];
  seconds: number;
  json: string | null;
  check: boolean;
}

/** Prints the usage and ends the process for `--help`, or with 2 when an option is invalid. */
export function readOptions(argv: string[]): Options {
  return orUsage(usage, () => {
    const { values } = parseArgs({
      args: argv,
      options: {
        sessions: { type: 'string', default: '100,1000,2000' },
        seconds: { type: 'string', default: '180' },
        json: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      return 'help';
    }
    return {
      sessions: values.sessions.split(',').map((count) => whole('--sessions', count)),
      seconds: whole('--seconds', values.seconds),
      json: values.json ?? null,
      check: values.check,
    };
  });
}
