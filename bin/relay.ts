/**
 * Bridges standard input and output, or those of a command, to a Unix socket; or a socket
 * to the port of a service.
 */

import { describeError } from '../contract/sentences.ts';
import { runAgentRelay } from '../relay/node/agent-relay.ts';
import { parseRelayArguments, relayUsage } from '../relay/node/arguments.ts';
import { runCommandRelay } from '../relay/node/run-relay.ts';
import { runServerRelay } from '../relay/node/server-relay.ts';

const report = (line: string) => process.stderr.write(`relay: ${line}\n`);

async function run(): Promise<number> {
  const parsed = parseRelayArguments(process.argv.slice(2));
  if (parsed.mode === 'help') {
    process.stdout.write(relayUsage);
    return 0;
  }
  if (parsed.mode === 'agent') {
    return runAgentRelay(parsed.socketPath, process.stdin, process.stdout);
  }
  if (parsed.mode === 'run') {
    return runCommandRelay({ ...parsed, env: process.env, report });
  }
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  process.once('SIGINT', () => stopping.abort());
  await runServerRelay({ ...parsed, env: process.env, report, signal: stopping.signal });
  return 0;
}

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    report(describeError(error));
    process.exit(1);
  },
);
