/** The relay's command line: two addresses, as `socat` has them, and for a server its command. */

export type RelayMode =
  | { mode: 'agent'; socketPath: string }
  | {
      mode: 'server';
      reportPath: string | null;
      socketPath: string;
      command: string;
      args: string[];
      isAlone: boolean;
    }
  | { mode: 'service'; gatewayPath: string; port: number; command: string; args: string[] }
  | { mode: 'help' };

export const relayUsage = `Usage:
  relay - UNIX-CONNECT:<socket>
      bridges standard input and output to the socket (an agent's side)
  relay [--alone] [--report <socket>] UNIX-CONNECT:<socket> -- <command> [argument...]
      bridges the standard input and output of a command to the socket, with a fresh process for each connection
      (an MCP server's side); --alone: every process that it sees is of this container, and ends with the connection
  relay run --gateway <socket> --port <number> -- <command> [argument...]
      runs the command and ends with its exit code; keeps an idle connection to the socket, and copies what comes on it to and
      from that port of 127.0.0.1
`;

const address = /^UNIX-CONNECT:(.+)$/i;

/** Throws an Error that says what is wrong with the arguments. */
export function parseRelayArguments(given: readonly string[]): RelayMode {
  if (given.length === 1 && (given[0] === '--help' || given[0] === '-h')) {
    return { mode: 'help' };
  }
  if (given[0] === 'run') {
    return parseService(given.slice(1));
  }
  const isAlone = given[0] === '--alone';
  const options = isAlone ? given.slice(1) : given;
  const reportPath = options[0] === '--report' ? (options[1] ?? null) : null;
  const [first = '', second = '', ...rest] = reportPath === null ? options : options.slice(2);
  if (first === '-' && reportPath === null) {
    const socketPath = address.exec(second)?.[1];
    if (socketPath === undefined || rest.length > 0) {
      throw new Error('expected: relay - UNIX-CONNECT:<socket>');
    }
    return { mode: 'agent', socketPath };
  }
  const socketPath = address.exec(first)?.[1];
  const [command, ...args] = rest;
  if (socketPath === undefined || second !== '--' || command === undefined) {
    throw new Error(
      'expected: relay [--alone] [--report <socket>] UNIX-CONNECT:<socket> -- <command> [argument...]',
    );
  }
  return { mode: 'server', reportPath, socketPath, command, args, isAlone };
}

const mostPort = 65_535;

function parseService([
  first,
  gatewayPath,
  second,
  port = '',
  dashes,
  command,
  ...args
]: readonly string[]): RelayMode {
  const isPort = /^[1-9]\d{0,4}$/.test(port) && Number(port) <= mostPort;
  const isNamed = first === '--gateway' && second === '--port' && dashes === '--';
  if (!isNamed || !isPort || gatewayPath === undefined || command === undefined) {
    throw new Error('expected: relay run --gateway <socket> --port <number> -- <command> [argument...]');
  }
  return { mode: 'service', gatewayPath, port: Number(port), command, args };
}
