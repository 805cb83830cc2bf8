import { parseArgs } from 'node:util';
import { orUsage, whole } from '../shared/harness.ts';

export const usage = `npm run bench -- [options]

Starts a platform with data and ports of its own, and measures in turns:
  platform  POST a session (scripted agent, one \`files\` server), until its status is "running"
  bare      the same programs (sidecar, relay, agent) as plain processes, until the sockets are there,
            the agent was started and the sidecar reported
The ratio of the medians is the figure; the times depend on the machine. Then it starts one session with two servers, one of them with
access to the internet where this machine can give it, and reads its memory from /proc by kind of process (PSS).
With --at-once it does the same with N of each at once, until the last of them runs. No limit, rate or quota is in the way.

  --pairs N    how many of each, after 3 to warm up (default 15; 0: none)
  --at-once N  sessions at once (default 0: none)
  --rounds N   how many times N at once, of each, after one to warm up (default 3)
  --no-memory  leaves the memory out
  --json FILE  writes every figure
  --check      exits with 1 when an aim is missed
`;

export interface Options {
  pairs: number;
  atOnce: number;
  rounds: number;
  memory: boolean;
  json: string | null;
  check: boolean;
}

/** Prints the usage and ends the process for `--help`, or with 2 when an option is invalid. */
export function readOptions(args: string[]): Options {
  return orUsage(usage, () => {
    const { values } = parseArgs({
      args,
      options: {
        pairs: { type: 'string', default: '15' },
        'at-once': { type: 'string', default: '0' },
        rounds: { type: 'string', default: '3' },
        'no-memory': { type: 'boolean', default: false },
        json: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      return 'help';
    }
    return {
      pairs: whole('--pairs', values.pairs, 0),
      atOnce: whole('--at-once', values['at-once'], 0),
      rounds: whole('--rounds', values.rounds),
      memory: !values['no-memory'],
      json: values.json ?? null,
      check: values.check,
    };
  });
}
