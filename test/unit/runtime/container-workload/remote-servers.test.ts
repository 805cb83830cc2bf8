/** How a remote server is rendered as a container. */
import { describe, expect, it } from '@jest/globals';
import type { FrozenConfiguration } from '../../../../contract/session.ts';
import type {
  ContainerSpec,
  ContainerWorkload,
} from '../../../../runtime/container-workload/container-workload.ts';
import { renderContainerWorkload } from '../../../../runtime/container-workload/render-container-workload.ts';
import { configuration, remoteNamed, serverNamed } from '../../../support/frozen-configuration.ts';
import { testContainerSettings } from '../../../support/random-configurations.ts';

const render = (frozen: FrozenConfiguration, networks: 'shared' | 'own' = 'shared') =>
  renderContainerWorkload(frozen, { ...testContainerSettings, networks });
function named({ containers }: ContainerWorkload, name: string): ContainerSpec {
  const found = containers.find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`no container ${name}`);
  }
  return found;
}
const secret = { kind: 'secret' as const, secret_name: 'THE_SECRET', secret_version: 3 };

describe('a remote server', () => {
  const headers = [{ name: 'x-key', prefix: 'Key ', variable: 'KEY' }];
  const url = 'https://mcp.internal:8443/mcp';

  it('is the bridge in the sidecar’s image, with its headers composed of its own variables', () => {
    const server = remoteNamed('far', {
      shape: { type: 'remote', url: 'https://far.test/mcp', headers },
      env: { KEY: secret },
      sign_in: 'headers',
    });
    const far = named(render(configuration({ servers: [server] }), 'own'), 'mcp-far');
    expect(far).toMatchObject({
      image: { reference: 'localhost/sidecar:1', credentialsOf: null },
      network: 'internet',
      privateOrigin: null,
      workingDirectory: '/workspace',
      views: [
        { directory: 'bin', path: '/opt/platform/bin' },
        { directory: 'servers/far', path: '/run/platform/mcp' },
      ],
    });
    expect(far.uid).not.toBe(10_001);
    expect(far.env).toContainEqual({ name: 'KEY', isSecret: true });
    expect(far.argv).toEqual([
      ...['/opt/platform/bin/relay', '--network', 'restricted'],
      ...['--file-size', String(testContainerSettings.workspaceBytes)],
      ...['--report', '/run/platform/mcp/.report.sock', '--secret', 'KEY'],
      ...['UNIX-CONNECT:/run/platform/mcp/far.sock', '--', 'node', '/opt/platform/remote-bridge.js'],
      JSON.stringify({ url: 'https://far.test/mcp', headers, private_hosts: {}, token_socket: null }),
    ]);
  });

  it('asks for tokens in its own directory where its operator signs in', () => {
    const workload = render(
      configuration({ servers: [remoteNamed('far', { sign_in: 'oauth' }), serverNamed('near')] }),
    );
    expect(JSON.parse(named(workload, 'mcp-far').argv.at(-1) ?? '')).toMatchObject({
      token_socket: '/run/platform/mcp/.token.sock',
    });
    expect(workload.boot.servers.map(({ name, access_tokens }) => [name, access_tokens])).toEqual([
      ['far', true],
      ['near', false],
    ]);
  });

  it('alone reaches the host that the operator listed for it', () => {
    const servers = [
      remoteNamed('far', { shape: { type: 'remote', url } }),
      remoteNamed('other'),
      serverNamed('near'),
    ];
    const workload = render(configuration({ servers }));
    expect(workload.containers.map(({ name, privateOrigin }) => [name, privateOrigin])).toEqual([
      ['sidecar', null],
      ['mcp-far', 'https://mcp.internal:8443'],
      ['mcp-other', null],
      ['mcp-near', null],
      ['agent', null],
    ]);
    expect(JSON.parse(named(workload, 'mcp-far').argv.at(-1) ?? '')).toEqual({
      url,
      headers: [],
      private_hosts: { 'mcp.internal:8443': 'https' },
      token_socket: null,
    });
    expect(workload.egressAllow).toEqual([]);
  });

  it.each(['127.0.0.1:9000', 'localhost:9000'])(
    'at %s is refused, which would be its own container',
    (host) => {
      const far = remoteNamed('far', { shape: { type: 'remote', url: `http://${host}/mcp` } });
      expect(() => render(configuration({ servers: [far] }))).toThrow(
        expect.objectContaining({
          name: 'UnsupportedWorkloadError',
          message: `the MCP server "far": ${host} would be its own container here; give it a URL with an address that containers reach, and list that in PRIVATE_MCP_HOSTS`,
        }),
      );
    },
  );
});
