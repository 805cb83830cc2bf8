import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { orUsage, positive } from '../shared/harness.ts';
import type { Part } from './aims.ts';
import { targets } from './targets.ts';

export const usage = `npm run bench:gate -- [options]

Measures in turns, with an echo server of the same program behind each, on one core ("pinned": client, proxy and server
share it, so a hop costs no wake-up of another core) and wherever the system puts them ("unpinned"):
  direct             a Unix socket
  socat              Debian's socat, from one Unix socket to another
  node-pipe          a Node program that only copies between the same sockets: what is left to the sidecar's own work is above it
  sidecar            the sidecar as a session runs it: every check, every call written to the spool before it is forwarded
  sidecar-gated      the same with a gated tool: one request more, to an internal API that allows every call
  sidecar-ping       the same with messages that are no call: every check, nothing for the audit trail
  sidecar-in-memory  calls again, with the audit trail's spool in memory: what is left is not the disk's
  supergateway       npm supergateway: stdio to Streamable HTTP, one server process for the session
  mcp-proxy          npm mcp-proxy: the same
  disk               no peer: what the disk takes for one record of the audit trail (append 220 bytes, fdatasync)
  neighbour          how much a neighbour that sends 1 MB lines to another server delays a quiet connection
  memory             a sidecar beside an idle node (node -e): idle, and after 100,000 calls

The sidecar is started as a session's host does it, with the same options of Node. Aims are those of docs/performance.md.

  --only A,B         these rows only (direct comes by itself)
  --cores WHICH      pinned, unpinned or both (default both)
  --sizes N,M        bytes of a message (default 300,10000)
  --seconds N        measured for each figure, after a warm-up (default 4)
  --sidecar FILE     another build of the sidecar (default dist/sidecar.js)
  --directory PATH   where the spool is: its disk is part of the figures (default the system's temporary directory)
  --json FILE        writes every figure
  --check            exits with 1 when an aim is missed
`;

const extras = ['neighbour', 'memory'];

export interface Options {
  rows: ReadonlySet<string>;
  cores: readonly Part['cores'][];
  sizesBytes: readonly number[];
  seconds: number;
  directory: string;
  sidecar: string;
  json: string | null;
  check: boolean;
}

/** Prints the usage and ends the process for `--help`, or with 2 when an option is invalid. */
export function readOptions(argv: string[]): Options {
  return orUsage(usage, () => {
    const { values } = parseArgs({
      args: argv,
      options: {
        only: { type: 'string', default: [...targets.map(({ name }) => name), ...extras].join(',') },
        cores: { type: 'string', default: 'both' },
        sizes: { type: 'string', default: '300,10000' },
        seconds: { type: 'string', default: '4' },
        directory: { type: 'string', default: tmpdir() },
        sidecar: {
          type: 'string',
          default: new URL('../../dist/sidecar.js', import.meta.url).pathname,
        },
        json: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      return 'help';
    }
    return {
      rows: readRows(values.only),
      cores: readCores(values.cores),
      sizesBytes: values.sizes.split(',').map((size) => positive('--sizes', size)),
      seconds: positive('--seconds', values.seconds),
      directory: resolve(values.directory),
      sidecar: resolve(values.sidecar),
      json: values.json ?? null,
      check: values.check,
    };
  });
}

function readRows(text: string): ReadonlySet<string> {
  const known = new Set<string>([...targets.map(({ name }) => name), ...extras]);
  const rows = text.split(',');
  const unknown = rows.filter((row) => !known.has(row));
  if (unknown.length > 0) {
    throw new Error(`--only: ${unknown.join(', ')} is none of ${[...known].join(', ')}`);
  }
  return new Set([...rows, 'direct']);
}

function readCores(text: string): readonly Part['cores'][] {
  if (text === 'both') {
    return ['pinned', 'unpinned'];
  }
  if (text === 'pinned' || text === 'unpinned') {
    return [text];
  }
  throw new Error(`--cores: ${text} is none of pinned, unpinned, both`);
}
