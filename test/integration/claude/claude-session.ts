/** The agent `claude` as a process in a session of real programs, and a scripted model behind a socket. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../../../contract/agent-contract.ts';
import { claudeModules } from '../../support/claude-package.ts';
import { bundleForNode } from '../../support/esbuild.ts';
import { type ModelStub, startModelStub } from '../../support/model-stub/start-model-stub.ts';
import type { Turn } from '../../support/model-stub/turns.ts';
import { findStaticRelay } from '../../support/static-relay.ts';
import type { TestSession } from '../sidecar/session.ts';

export interface ClaudeAgent {
  model: ModelStub;
  /** Its exit code, once it has ended. */
  exit: Promise<number | null>;
  log(): string;
  stop(): Promise<void>;
}

export interface AgentSettings {
  /** Beside `platform`. */
  servers: readonly string[];
  prompt?: string;
  agent?: Partial<AgentConfig['agent']>;
  env?: Record<string, string>;
}

/** The program with the package beside it, as a sandbox and the image have them. Made once per test file. */
export function bundleClaudeAgent(): { program: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'claude-agent-'));
  const program = join(directory, 'claude-agent.js');
  bundleForNode(['bin/claude-agent.ts', `--outfile=${program}`]);
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  symlinkSync(claudeModules(), join(directory, 'node_modules'));
  return { program, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/**
 * What a Pod without the network allows is least: no socket but Unix ones. Without the static relay, a
 * network that leads nowhere.
 */
const withoutNetwork = (() => {
  const relay = findStaticRelay();
  const narrowed = relay === null ? [] : [relay, 'run', '--network', 'none', '--'];
  return ['--net', '--pid', '--fork', '--kill-child', '--mount-proc', ...narrowed, process.execPath];
})();

/** Starts it without any network but the sockets of its session and of the model. */
export async function startClaudeAgent(
  program: string,
  session: TestSession,
  script: readonly Turn[],
  { servers, prompt = 'write the report', agent = {}, env = {} }: AgentSettings,
): Promise<ClaudeAgent> {
  const work = mkdtempSync(join(tmpdir(), 'claude-'));
  const socket = join(work, 'model.sock');
  const model = await startModelStub(script, socket);
  const config: AgentConfig = {
    session_id: session.id,
    agent: { id: randomUUID(), name: 'writer', kind: 'worker', instructions: '', model: null, ...agent },
    prompt,
    ...(session.hasOperator ? {} : { has_operator: false }),
    mcpServers: Object.fromEntries(['platform', ...servers].map((name) => [name, session.relayLaunch(name)])),
  };
  const configFile = join(work, 'config.json');
  writeFileSync(configFile, JSON.stringify(config));
  mkdirSync(join(work, 'home'));
  const child = spawn('unshare', [...withoutNetwork, program], {
    cwd: join(work, 'home'),
    // A group of its own; what it starts ends with it as it would in its container.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env['PATH'], HOME: join(work, 'home'), TMPDIR: work },
      ...{ PLATFORM_CONFIG: configFile, PLATFORM_SIDECAR_SOCKET: session.httpSocket },
      ...{ ANTHROPIC_UNIX_SOCKET: socket, ANTHROPIC_BASE_URL: 'http://model.invalid' },
      ...{ ANTHROPIC_API_KEY: 'none', ...env },
    },
  });
  return observed(child, model, () => rmSync(work, { recursive: true, maxRetries: 50 }));
}

function observed(child: ChildProcess, model: ModelStub, removeFiles: () => void): ClaudeAgent {
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      written += chunk.toString();
    });
  }
  const exit = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  return {
    model,
    exit,
    log: () => written,
    async stop() {
      endGroup(child);
      await exit;
      await model.close();
      removeFiles();
    },
  };
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) {
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
