/**
 * Bridges standard input and output to a remote MCP server (docs/decisions/0043-bridge-to-remote-servers.md).
 */

import { describeError } from '../contract/sentences.ts';
import { bridgeUsage, parseBridgeArguments } from '../relay/remote/arguments.ts';
import { runBridge } from '../relay/remote/bridge.ts';
import { composeHeaders } from '../relay/remote/static-headers.ts';

const report = (line: string) => process.stderr.write(`remote-bridge: ${line}\n`);

async function run(): Promise<number> {
  let options: Pick<Parameters<typeof runBridge>[0], 'config' | 'credential'>;
  try {
    const parsed = parseBridgeArguments(process.argv.slice(2));
    if (parsed.mode === 'help') {
      process.stdout.write(bridgeUsage);
      return 0;
    }
    const { config } = parsed;
    options = { config, credential: composeHeaders(config.headers, process.env) };
  } catch (error) {
    report(describeError(error));
    return 2;
  }
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  process.once('SIGINT', () => stopping.abort());
  await runBridge({
    ...options,
    input: process.stdin,
    output: process.stdout,
    report,
    signal: stopping.signal,
  });
  return 0;
}

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    report(describeError(error));
    process.exit(1);
  },
);
