import { parseArgs } from 'node:util';
import { orUsage, whole } from '../shared/harness.ts';

export const usage = `npm run bench:streams -- [options]

Starts a Postgres of its own and the API as it is built, opens event streams over HTTP, half of them GET /sessions/{id}/events and half
GET /me/stream, by people of ten sessions each that are shared with their workspace, and measures:
  statements   that Postgres committed in a second while nothing happens, by its own count (pg_stat_database)
  memory       resident memory of the API with the streams, less that without, for each stream
  latency      from the answer to the commit of one event to its arrival at the last viewer of its session

  --streams N    open streams (default 1000)
  --sessions M   that they look at (default 100)
  --seconds N    for which the statements are counted (default 30)
  --events N     of which the latency is taken, one after the other (default 200)
  --api FILE     another build of the API (default dist/api.js)
  --json FILE    writes every figure
  --check        exits with 1 when an aim is missed
`;

export interface Options {
  streams: number;
  sessions: number;
  seconds: number;
  events: number;
  api: string;
  json: string | null;
  check: boolean;
}

/** Prints the usage and ends the process for `--help`, or with 2 when an option is invalid. */
export function readOptions(argv: string[]): Options {
  return orUsage(usage, () => {
    const { values } = parseArgs({
      args: argv,
      options: {
        streams: { type: 'string', default: '1000' },
        sessions: { type: 'string', default: '100' },
        seconds: { type: 'string', default: '30' },
        events: { type: 'string', default: '200' },
        api: { type: 'string', default: 'dist/api.js' },
        json: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      return 'help';
    }
    return {
      streams: whole('--streams', values.streams),
      sessions: whole('--sessions', values.sessions),
      seconds: whole('--seconds', values.seconds),
      events: whole('--events', values.events),
      api: values.api,
      json: values.json ?? null,
      check: values.check,
    };
  });
}
