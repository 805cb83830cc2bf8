import { parseArgs } from 'node:util';
import { orUsage, whole } from '../shared/harness.ts';

export const usage = `npm run bench:approval -- [options]

Starts a Temporal server and a platform of its own (API, worker and Postgres as npm start starts them, sessions on the process runtime), and
measures in turns, in the same Temporal:
  platform  from the moment POST /grants is sent to the moment at which the MCP server of the session has the call that was refused before:
            the API, the request's workflow and the session's, the grant, the message, the agent's second call, its check
  bare      the same workflows, from the same update to the activity that stands for the delivered message; every activity returns at once,
            and there is no database
Then the session makes calls that need no grant, and its workflow's history is read and replayed by the built workflows.

  --approvals N  how many the session gets, the first 3 of them to warm up (default 50)
  --calls N      calls without a grant, 64 in flight (default 10000)
  --json FILE    writes every figure
  --check        exits with 1 when an aim is missed
`;

export const warmUps = 3;

export interface Options {
  approvals: number;
  calls: number;
  json: string | null;
  check: boolean;
}

/** Prints the usage and ends the process for `--help`, or with 2 when an option is invalid. */
export function readOptions(args: string[]): Options {
  return orUsage(usage, () => {
    const { values } = parseArgs({
      args,
      options: {
        approvals: { type: 'string', default: '50' },
        calls: { type: 'string', default: '10000' },
        json: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      return 'help';
    }
    return {
      approvals: whole('--approvals', values.approvals, warmUps + 1),
      calls: whole('--calls', values.calls),
      json: values.json ?? null,
      check: values.check,
    };
  });
}
