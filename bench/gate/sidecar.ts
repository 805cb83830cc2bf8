/**
 * The sidecar as a session's host starts it (runtime/process/render-launch.ts), with two servers behind it.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import { sidecarEnvironment, sidecarNodeOptions } from '../../runtime/sidecar-program.ts';
import { roomySidecarLimits } from '../../test/support/sidecar-limits.ts';
import { ownProgram, type Processes } from './processes.ts';
import type { Address } from './targets.ts';
import { firstLineOf, untilSocket } from './wait.ts';

export const echoServer = ownProgram('echo-server');
const servers = ['quiet', 'neighbour'];
/** The first of them, and its gated tool with the scope that it needs. */
export const gatedTool = { server: 'quiet', tool: 'gated', scope: 'bench.call' };

/** What its platform is, and which session it knows. */
type Platform = Pick<SidecarBoot, 'api_url' | 'session_id' | 'internal_token'>;

/** Its sockets and its spool are below `directory`. Without a platform it gets one that allows every call. */
export async function startSidecar(
  processes: Processes,
  program: string,
  directory: string,
  given: Platform | null = null,
): Promise<Address> {
  const platform = given ?? {
    api_url: `http://127.0.0.1:${await firstLineOf(processes.start(ownProgram('internal-api')))}`,
    session_id: randomUUID(),
    internal_token: 'token',
  };
  mkdirSync(directory, { recursive: true });
  const { pid = null } = processes.start([process.execPath, ...sidecarNodeOptions, program], {
    cwd: directory,
    env: sidecarEnvironment,
    input: `${JSON.stringify(bootOf(directory, platform))}\n`,
  });
  for (const name of servers) {
    const socket = join(directory, 'servers', name, `${name}.sock`);
    await untilSocket(socket);
    processes.start([...echoServer, 'connect', socket]);
  }
  const [address, neighbour] = servers.map((name) => join(directory, 'agent/mcp', `${name}.sock`));
  await untilSocket(neighbour ?? '');
  return { transport: 'line', address: address ?? '', neighbour: neighbour ?? '', pid };
}

function bootOf(directory: string, platform: Platform): SidecarBoot {
  return {
    ...platform,
    agent: { id: randomUUID(), name: 'bench' },
    control_key: 'key',
    session_directory: directory,
    agent_config: null,
    control_host: '127.0.0.1',
    control_port: 0,
    servers: servers.map((name) => ({
      name,
      entry_version: 1,
      tool_scopes: { [gatedTool.tool]: gatedTool.scope },
      client_features: [],
      changed_tools: 'tell',
      unlisted_tools: 'allow',
      listed_tools: [],
      network: 'none',
      loads_packages: false,
      access_tokens: false,
    })),
    siblings: [],
    sibling_access: [],
    has_operator: true,
    log_tool_payloads: false,
    audit_sync: 'within-100-ms',
    limits: roomySidecarLimits,
  };
}
