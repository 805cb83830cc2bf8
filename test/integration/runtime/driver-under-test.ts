/** What a driver's own test gives to the contract, and what the contract's parts share. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import type { ContainerState, LaunchSecrets, Runtime, WorkloadState } from '../../../runtime/workload.ts';
import { configuration } from '../../support/frozen-configuration.ts';
import type { Reports } from './reports.ts';

export interface DriverUnderTest<Spec> {
  /**
   * Whether containers are isolated from each other and from the machine; otherwise the agent
   * reads what this user can.
   */
  isolates: boolean;
  /** Whether sessions can have siblings here. */
  siblings: boolean;
  /** Whether each container has a loopback of its own. */
  hasOwnNetworks: boolean;
  /** Whether process 1 of the agent's container reports on it, and not what made its sandbox. */
  reportsFromInside: boolean;
  /** Opens a driver that continues what earlier ones left unfinished: each call is a restarted worker. */
  open(apiUrl: string): Promise<Runtime<Spec>>;
  /**
   * Starts the session in a separate process, as a worker does, which is killed (SIGKILL) this long after it
   * began. What it is given goes through its standard input, since it holds secrets.
   */
  startInProcess(apiUrl: string, spec: Spec, secrets: LaunchSecrets, dieAfterMs: number): ChildProcess;
  /** An address of this machine at which sidecars reach the test. */
  hostAddress(): Promise<string>;
  /** Kills, as `kill -9` would, what the session cannot continue without (its host or its sidecar). */
  lose(sessionId: string): Promise<void>;
  /** Everything of this session that still runs, as lines for the message of a failure. */
  running(sessionId: string): Promise<string[]>;
}

/** Sessions of one run of the contract; all of them are stopped at its end. */
export interface ContractSessions<Spec> {
  driver: DriverUnderTest<Spec>;
  runtime(): Runtime<Spec>;
  reports(): Reports;
  prepare(changes?: Parameters<typeof configuration>[0]): FrozenConfiguration;
  /** Returns the session's id. */
  start(frozen: FrozenConfiguration, secrets?: Partial<LaunchSecrets>): Promise<string>;
  /** The output of a container once it has `text`. */
  logged(sessionId: string, container: string, text: string): Promise<string>;
}

export const node = (script: string) => ({
  run: { type: 'command' as const, command: 'node', args: ['-e', script] },
});
export const secretVariable = (name: string) => ({
  [name]: { kind: 'secret' as const, secret_name: name, secret_version: 1 },
});
export const stays = 'setInterval(() => {}, 1000);';

/** A session with an id of its own, whose agent stays until it is stopped. */
export const configurationThatStays = (
  changes: Parameters<typeof configuration>[0] = {},
): FrozenConfiguration => configuration({ session_id: randomUUID(), agent: node(stays), ...changes });

/**
 * For an agent's script: sends to every server, whose first byte starts it if it does not run
 * yet; `answers` are promises.
 */
export const speaksToServers = `const config = JSON.parse(require('node:fs').readFileSync(process.env.PLATFORM_CONFIG, 'utf8'));
const hello = { jsonrpc: '2.0', id: 1, method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } } };
const answers = Object.values(config.mcpServers).map(({ args }) => new Promise((resolve, reject) => {
  const socket = require('node:net').connect(args.at(-1).replace('UNIX-CONNECT:', ''), () => socket.write(JSON.stringify(hello) + '\\n'));
  socket.setEncoding('utf8').once('data', resolve).on('error', reject);
}));
`;

/** An agent's script: calls a tool without arguments, tells the answer as a line `TOLD <json>`, and stays. */
export const callsTool = (server: string, tool: string) => `
const { mcpServers } = JSON.parse(require('node:fs').readFileSync(process.env.PLATFORM_CONFIG, 'utf8'));
const socket = require('node:net').connect(mcpServers['${server}'].args.at(-1).replace('UNIX-CONNECT:', ''));
const send = (message) => socket.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } } });
const tell = (message) => console.log('TOLD ' + JSON.stringify(message));
require('node:readline').createInterface({ input: socket }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === 1 && message.result) {
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: '${tool}', arguments: {} } });
  } else if (message.id === 1 || message.id === 2) {
    tell(message);
  }
}).on('close', () => tell('closed'));
${stays}`;

export const secretsWith = (sessionId: string, changes: Partial<LaunchSecrets> = {}): LaunchSecrets => ({
  agentEnv: {},
  serverEnv: {},
  siblingEnv: {},
  registryCredentials: {},
  sidecar: { internal_token: `token-of-${sessionId}`, control_key: `key-of-${sessionId}` },
  ...changes,
});

export function containerIn(state: WorkloadState, name: string): ContainerState | undefined {
  return state.state === 'running' ? state.containers.find((each) => each.name === name) : undefined;
}
