/** The relay's command line: two addresses, as `socat` has them, and for a server its command. */

import { parseRun, type RunArguments } from './run-arguments.ts';

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
  | ({ mode: 'run' } & RunArguments)
  | { mode: 'help' };

export const relayUsage = `Usage:
  relay - UNIX-CONNECT:<socket>
      bridges standard input and output to the socket (an agent's side)
  relay [--alone] [--report <socket>] UNIX-CONNECT:<socket> -- <command> [argument...]
      bridges the standard input and output of a command to the socket, with a fresh process for each connection
      (an MCP server's side); --alone: every process that it sees is of this container, and ends with the connection
  relay run [option...] -- <command> [argument...]
      runs the command and ends with its exit code
      --gateway <socket> --port <number>: keeps an idle connection to the socket, and copies what comes on it to and from that port
      of 127.0.0.1; --dial in place of --gateway: the first byte says that the connection is used, and is not copied
      --listen <port>=<socket>: copies what comes to that port of 127.0.0.1 to and from the socket; may be repeated
      --report-end <socket> is told how the command starts and ends, and that it is ready: with --ready-port <number> when that port
      of 127.0.0.1 takes a connection, with --ready-argument <text> for each part of a command when that ends with 0
`;

const address = /^UNIX-CONNECT:(.+)$/i;

/** Throws an Error that says what is wrong with the arguments. */
export function parseRelayArguments(given: readonly string[]): RelayMode {
  if (given.length === 1 && (given[0] === '--help' || given[0] === '-h')) {
    return { mode: 'help' };
  }
  if (given[0] === 'run') {
    return { mode: 'run', ...parseRun(given.slice(1)) };
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
