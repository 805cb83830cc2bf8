import { parseArgs } from 'node:util';
import { orUsage, whole } from '../shared/harness.ts';

export const usage = `npm run bench:kubernetes -- [options]

Starts a one-node cluster (or uses the one that KUBECONFIG names) and measures in turns, in one namespace that admits
\`restricted\` Pods only:
  session  \`start\` of the Kubernetes runtime: Pod behind its gate, a Secret for each container, network policy, gate, watch
  at once  the Pod of that session with one API call: no gate and no policy, its Secrets made before the clock starts
  bare     a Pod with the same containers, images, users, limits and volumes with one API call: each container runs its
           program itself, so no hook installs the relay and nothing waits for the sidecar; credentials are plain variables
Each is an agent (node), the sidecar (node) and servers with a credential each, whose program is a \`sleep\`: the relay starts
a server only when it is called, so what a server's own start takes is in none of the figures.
A launch is over when the API server says that every container runs (for a session: when \`start\` returns), the sidecar has
reported, and the agent's program has made a request to the same host.

  --rounds N    how many of each, after 3 to warm up (default 20)
  --servers N   MCP servers of a session (default 3)
  --json FILE   writes every figure
  --check       exits with 1 when the aim is missed
`;

export interface Options {
  rounds: number;
  servers: number;
  json: string | null;
  check: boolean;
}

/** Prints the usage and ends the process for `--help`, or with 2 when an option is invalid. */
export function readOptions(argv: string[]): Options {
  return orUsage(usage, () => {
    const { values } = parseArgs({
      args: argv,
      options: {
        rounds: { type: 'string', default: '20' },
        servers: { type: 'string', default: '3' },
        json: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      return 'help';
    }
    return {
      rounds: whole('--rounds', values.rounds, 1),
      servers: whole('--servers', values.servers, 0),
      json: values.json ?? null,
      check: values.check,
    };
  });
}
