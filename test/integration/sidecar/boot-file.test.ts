import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentConfig } from '../../../contract/agent-contract.ts';
import { controlKey } from '../../../contract/session-keys.ts';
import type { SidecarBoot } from '../../../contract/sidecar.ts';
import { eventually } from '../../support/eventually.ts';
import { roomySidecarLimits } from '../../support/sidecar-limits.ts';
import { type PlatformStandIn, startPlatformStandIn } from './platform-stand-in.ts';
import { bundlePrograms, type Programs } from './programs.ts';

/** The sidecar as it starts in a container: from a file, on a network of the session's own. */
let programs: Programs;
let platform: PlatformStandIn;
let directory: string;
let sidecar: ChildProcess | null = null;
const sessionId = randomUUID();
const agent_config: AgentConfig = {
  session_id: sessionId,
  agent: { id: randomUUID(), name: 'tester', kind: 'worker', instructions: 'be kind', model: null },
  prompt: 'do it',
  mcpServers: {},
};

beforeAll(async () => {
  programs = await bundlePrograms();
  platform = await startPlatformStandIn(sessionId);
  directory = await mkdtemp(join(tmpdir(), 'b-'));
  await mkdir(join(directory, 'session'));
});
afterAll(async () => {
  sidecar?.kill('SIGKILL');
  await platform.close();
  await rm(directory, { recursive: true });
});

async function start(changes: Partial<SidecarBoot> = {}): Promise<ChildProcess> {
  const boot: SidecarBoot = {
    session_id: sessionId,
    agent: { id: agent_config.agent.id, name: 'tester' },
    api_url: platform.url,
    internal_token: platform.token,
    control_key: controlKey(Buffer.alloc(32, 7), sessionId),
    session_directory: join(directory, 'session'),
    agent_config,
    control_host: '0.0.0.0',
    control_port: 0,
    servers: [],
    siblings: [],
    sibling_access: [],
    has_operator: true,
    log_tool_payloads: false,
    audit_sync: 'within-100-ms',
    limits: roomySidecarLimits,
    ...changes,
  };
  const file = join(directory, 'boot.json');
  await writeFile(file, JSON.stringify(boot));
  return spawn(process.execPath, [programs.sidecar, '--boot-file', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

describe('a sidecar with a boot file', () => {
  it('needs no standard input, and writes what the agent reads before the agent can reach it', async () => {
    sidecar = await start();
    await eventually(() => expect(platform.controlUrl).not.toBeNull());
    const file = join(directory, 'session/agent/agent/config.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(agent_config);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  it('reports an address that others can reach, and refuses connections from its own network', async () => {
    expect(platform.controlUrl).toMatch(/^http:\/\/(?!127\.|0\.0\.0\.0)\d+\.\d+\.\d+\.\d+:\d+$/);
    const { port } = new URL(platform.controlUrl ?? '');
    for (const host of [new URL(platform.controlUrl ?? '').hostname, '127.0.0.1', '127.1.2.3']) {
      await expect(fetch(`http://${host}:${port}/health`)).rejects.toThrow('fetch failed');
    }
  });

  it('names the invalid part of the file, and repeats no content', async () => {
    const wrong = await start({ control_port: 1.5, internal_token: 'not-to-be-shown' });
    let log = '';
    wrong.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    expect(await once(wrong, 'close')).toEqual([1, null]);
    expect(log).toContain('control_port');
    expect(log).not.toContain('not-to-be-shown');
  });
});
