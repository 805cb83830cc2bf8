import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  type Machine,
  renderAgentConfig,
  renderLaunch,
  renderWorkload,
} from '../../../runtime/process/render-launch.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { testEndpoints } from '../../support/model-endpoints.ts';
import { processLimits, publicPackages } from '../../support/process-limits.ts';
import { roomySidecarLimits } from '../../support/sidecar-limits.ts';

const id = '7a3d4f5e-0000-4000-8000-000000000001';
const directory = `/home/somebody/${'with-a-long-way/'.repeat(8)}sessions/${id}`;
const longName = 'a-server-with-a-name-of-32-chars';
const machine: Machine = {
  programs: {
    nodePrefix: '/opt/node-20',
    directory: '/platform/dist',
    relay: null,
    runner: '/platform/runner',
    claude: null,
  },
  root: null,
  internet: false,
  limits: processLimits,
  packages: publicPackages,
  cgroups: null,
  owner: 'owner',
  apiUrl: 'http://127.0.0.1:8080',
  auditSync: 'within-100-ms',
  sidecarLimits: roomySidecarLimits,
};
const args = ['/workspace', '/workspace/in', '/workspaces', '--x'];
const spec = renderWorkload(
  configuration({
    session_id: id,
    servers: [serverNamed(longName, { shape: { type: 'command', command: 'serve', args } })],
  }),
  {
    sandbox: false,
    seededCommands: null,
    internet: false,
    claude: false,
    privateHosts: new Map(),
    modelEndpoints: testEndpoints(),
  },
);
const secrets = {
  agentEnv: {},
  serverEnv: {},
  siblingEnv: {},
  registryCredentials: {},
  sidecar: { internal_token: 't', control_key: 'k' },
};
const launch = renderLaunch(spec, secrets, { machine, directory });
const [agent, server] = launch.containers;
const socketOf = (argument: string | undefined) => argument?.replace('UNIX-CONNECT:', '') ?? '';

describe('a session without a sandbox', () => {
  it('names each socket so that it fits a socket address, however deep the session is', () => {
    const config = renderAgentConfig(spec, { machine, directory });
    const named = [
      ...Object.values(config?.mcpServers ?? {}).map(({ args }) => socketOf(args[1])),
      agent?.env['PLATFORM_SIDECAR_SOCKET'] ?? '',
    ];
    expect(named.map((path) => resolve(agent?.cwd ?? '', path))).toEqual([
      `${directory}/agent/mcp/platform.sock`,
      `${directory}/agent/mcp/${longName}.sock`,
      `${directory}/agent/agent/sidecar.sock`,
    ]);
    const ownSocket = socketOf(server?.argv[3]);
    expect(resolve(server?.cwd ?? '', ownSocket)).toBe(`${directory}/servers/${longName}/${longName}.sock`);
    for (const path of [...named, ownSocket]) {
      expect(Buffer.byteLength(path)).toBeLessThanOrEqual(103);
    }
  });

  it("gives a server its own workspace where its arguments name a sandbox's", () => {
    const workspace = `${directory}/work/mcp-${longName}`;
    expect(server?.argv.slice(6)).toEqual([workspace, `${workspace}/in`, '/workspaces', '--x']);
  });
});
