/** The agent `acp` in a session of real programs, with the scripted ACP agent as its child. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../../../contract/agent-contract.ts';
import type { AcpStep } from '../../support/acp-agent/steps.ts';
import { bundleForNode } from '../../support/esbuild.ts';
import type { TestSession } from '../sidecar/session.ts';

export interface AcpAgent {
  /** Its exit code, once it has ended. */
  exit: Promise<number | null>;
  isRunning(): boolean;
  stop(): Promise<void>;
}

const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** The client and the scripted agent, each as one file. */
export function bundleAcpAgent(): { directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'acp-agent-'));
  bundleForNode([
    ...['bin/acp-agent.ts', 'test/support/acp-agent/scripted-agent.ts', `--outdir=${directory}`],
    ...['--entry-names=[name]', `--banner:js=${banner}`],
  ]);
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export function startAcpAgent(
  programs: string,
  session: TestSession,
  script: readonly (readonly AcpStep[])[],
  {
    env = {},
    model = null,
    args = ['custom', process.execPath, join(programs, 'scripted-agent.js')],
  }: { env?: Record<string, string>; model?: string | null; args?: readonly string[] } = {},
): AcpAgent {
  const work = mkdtempSync(join(tmpdir(), 'acp-'));
  const config: AgentConfig = {
    session_id: session.id,
    agent: { id: randomUUID(), name: 'coder', kind: 'worker', instructions: 'Be brief.', model },
    prompt: 'write the report',
    ...(session.hasOperator ? {} : { has_operator: false }),
    mcpServers: { platform: session.relayLaunch('platform'), files: session.relayLaunch('files') },
  };
  writeFileSync(join(work, 'config.json'), JSON.stringify(config));
  mkdirSync(join(work, 'home'));
  const child = spawn(process.execPath, [join(programs, 'acp-agent.js'), ...args], {
    cwd: join(work, 'home'),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...{ PATH: process.env['PATH'], TMPDIR: work, PLATFORM_SIDECAR_SOCKET: session.httpSocket },
      ...{ PLATFORM_CONFIG: join(work, 'config.json'), ACP_SCRIPT: JSON.stringify(script) },
      ...env,
    },
  });
  const exit = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  return {
    exit,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill('SIGTERM');
      await exit;
      rmSync(work, { recursive: true, force: true, maxRetries: 50 });
    },
  };
}
