/** The bridge's command line: one argument, as JSON. Pure. */
import { fieldProblemsOf } from '../../contract/errors.ts';
import { type BridgeConfig, bridgeConfig } from '../../contract/remote-server.ts';

export type BridgeMode = { mode: 'run'; config: BridgeConfig } | { mode: 'help' };

export const bridgeUsage = `Usage:
  remote-bridge <configuration as JSON>
      bridges standard input and output, one JSON-RPC message a line, to a remote MCP server over Streamable HTTP.
      The configuration, such as
        {"url":"https://mcp.example.com/mcp","headers":[],"private_hosts":{},"token_socket":null}
      holds no credential: headers name environment variables, and access tokens are asked for on the socket.
`;

/** Throws an Error that says in one line what is wrong with the arguments. */
export function parseBridgeArguments(given: readonly string[]): BridgeMode {
  const [text, ...rest] = given;
  if (text === undefined || rest.length > 0) {
    throw new Error('expected one argument, the configuration as JSON; --help shows an example');
  }
  if (text === '--help' || text === '-h') {
    return { mode: 'help' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the configuration is not JSON; --help shows an example');
  }
  const parsed = bridgeConfig.safeParse(value);
  if (!parsed.success) {
    const [first] = fieldProblemsOf(parsed.error);
    throw new Error(`the configuration is not valid: ${first?.path || 'it'}: ${first?.message}`);
  }
  const { protocol, username, password } = new URL(parsed.data.url);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') {
    throw new Error(
      'the configuration is not valid: url: must be an address of the web without a user name or password',
    );
  }
  return { mode: 'run', config: parsed.data };
}
