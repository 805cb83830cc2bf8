/** The command line of `relay run`: options as pairs of a name and a value, and the command. */
import type { Dialed } from './forward.ts';
import type { Listen } from './listen.ts';
import type { Ready } from './ready.ts';
import type { RunRelayOptions } from './run-relay.ts';

export interface RunArguments extends Omit<RunRelayOptions, 'env' | 'report'> {
  args: string[];
}

const mostPort = 65_535;
const runForm = 'relay run [option...] -- <command> [argument...]';

function portOf(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > mostPort) {
    throw new Error(`expected: ${runForm}; "${text}" is no port`);
  }
  return Number(text);
}

function listenOf(text: string): Listen {
  const [, port = '', socketPath = ''] = /^(\d+)=(.+)$/.exec(text) ?? [];
  return { port: portOf(port), socketPath };
}

const runOptions = [
  '--gateway',
  '--dial',
  '--port',
  '--listen',
  '--report-end',
  '--ready-port',
  '--ready-argument',
] as const;
type RunOption = (typeof runOptions)[number];

const isRunOption = (text: string): text is RunOption => runOptions.some((each) => each === text);

/** Throws an Error that says what is wrong with what follows `relay run`. */
export function parseRun(given: readonly string[]): RunArguments {
  const values = new Map<RunOption, string[]>();
  let at = 0;
  for (; given[at] !== '--'; at += 2) {
    const [name = '', value] = given.slice(at, at + 2);
    if (!isRunOption(name) || value === undefined) {
      throw new Error(`expected: ${runForm}; "${name}" is no option of it with a value`);
    }
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  const [command, ...args] = given.slice(at + 1);
  if (command === undefined) {
    throw new Error(`expected: ${runForm}`);
  }
  const one = (name: RunOption) => values.get(name)?.at(-1);
  return {
    dialed: dialedOf(one('--gateway') ?? one('--dial'), one('--port'), values.has('--dial')),
    listens: (values.get('--listen') ?? []).map(listenOf),
    ready: readyOf(one('--ready-port'), values.get('--ready-argument') ?? []),
    reportPath: one('--report-end') ?? null,
    command,
    args,
  };
}

function dialedOf(
  socketPath: string | undefined,
  port: string | undefined,
  isAnnounced: boolean,
): Dialed | null {
  if (socketPath === undefined && port === undefined) {
    return null;
  }
  if (socketPath === undefined || port === undefined) {
    throw new Error(`expected: ${runForm}; --port needs --gateway or --dial, and each of them --port`);
  }
  return { socketPath, port: portOf(port), isAnnounced };
}

function readyOf(port: string | undefined, [command, ...args]: readonly string[]): Ready | null {
  if (port !== undefined) {
    return { type: 'port', port: portOf(port) };
  }
  return command === undefined ? null : { type: 'command', command, args };
}
