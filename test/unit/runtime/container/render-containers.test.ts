import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type {
  ContainerPlan,
  EngineSettings,
  SessionPlan,
} from '../../../../runtime/container/container-plan.ts';
import { withOpened } from '../../../../runtime/container/open-destinations.ts';
import { renderContainers } from '../../../../runtime/container/render-containers.ts';
import { renderContainerWorkload } from '../../../../runtime/container-workload/render-container-workload.ts';
import type { OpenedHost } from '../../../../runtime/open-private-host.ts';
import { UnsupportedWorkloadError } from '../../../../runtime/workload.ts';
import { configuration, remoteNamed, serverNamed, sessionId } from '../../../support/frozen-configuration.ts';
import { checkProperty } from '../../../support/property.ts';
import { randomLaunch, testContainerSettings } from '../../../support/random-configurations.ts';
import { violations } from './hardening.ts';

const settings: EngineSettings = {
  installation: 'platform',
  platformNetwork: 'sidecars',
  internetNetwork: 'internet',
  dnsServers: ['192.0.2.53'],
  temporaryBytes: 1024,
};
const workloadOf = (frozen: Parameters<typeof renderContainerWorkload>[0]) =>
  renderContainerWorkload(frozen, { ...testContainerSettings, networks: 'own' });
const render = (frozen: Parameters<typeof renderContainerWorkload>[0]) =>
  renderContainers(workloadOf(frozen), settings);
const all = ({ sidecar, waves }: SessionPlan) => [sidecar, ...waves.flat()];
const named = (plan: SessionPlan, name: string): ContainerPlan => {
  const found = all(plan).find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`no container ${name}`);
  }
  return found;
};
const networkOf = (plan: SessionPlan, name: string) => named(plan, name).body.HostConfig.NetworkMode;
const name = (container: string) => `platform-${sessionId}-${container}`;

describe('a session on a container engine', () => {
  it('opens no private destination, and says so', () => {
    const workload = { ...workloadOf(configuration()), egressAllow: ['10.0.0.1:80'] };
    expect(() => renderContainers(workload, settings)).toThrow(UnsupportedWorkloadError);
  });

  it('follows every rule of hardening, whatever a tenant configured', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration: frozen }) => {
        expect(violations(render(frozen), settings)).toEqual([]);
      }),
      { runs: 300 },
    );
  });

  it('holds no value of a secret', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration: frozen, values }) => {
        const text = JSON.stringify(render(frozen));
        expect(values.filter((value) => text.includes(JSON.stringify(value).slice(1, -1)))).toEqual([]);
      }),
    );
  });

  it('uses each name and each volume once', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration: frozen }) => {
        const plan = render(frozen);
        for (const names of [all(plan).map((each) => each.name), plan.volumes.map((each) => each.name)]) {
          expect(new Set(names).size).toBe(names.length);
          expect(names.filter((each) => !/^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,200}$/.test(each))).toEqual([]);
        }
      }),
    );
  });

  it('runs exactly the arguments of the workload, and none of the image’s own', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration: frozen }) => {
        const plan = render(frozen);
        for (const spec of workloadOf(frozen).containers) {
          expect(named(plan, spec.name).body).toMatchObject({ Entrypoint: spec.argv, Cmd: [] });
        }
      }),
      { runs: 50 },
    );
  });

  it('starts what holds a network before what uses it', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration: frozen }) => {
        const { waves } = render(frozen);
        waves.forEach((wave, index) => {
          const before = new Set(
            waves
              .slice(0, index)
              .flat()
              .map((each) => `container:platform-${frozen.session_id}-${each.name}`),
          );
          for (const { body } of wave) {
            const mode = body.HostConfig.NetworkMode;
            expect(!mode.startsWith('container:') || before.has(mode)).toBe(true);
          }
        });
      }),
    );
  });
});

it('no agent starts before one of its servers', () => {
  checkProperty(
    fc.property(randomLaunch, ({ configuration: frozen }) => {
      const { waves } = render(frozen);
      const waveOf = (name: string) => waves.findIndex((wave) => wave.some((each) => each.name === name));
      const servers = frozen.servers.map(({ name }) => waveOf(`mcp-${name}`));
      expect(Math.max(0, ...servers)).toBeLessThanOrEqual(waveOf('agent'));
    }),
  );
});

describe('networks of a session', () => {
  it('connect only the sidecar, and neither agent nor servers', () => {
    const plan = render(configuration({ servers: [serverNamed('files')] }));
    expect(networkOf(plan, 'sidecar')).toBe('sidecars');
    expect(networkOf(plan, 'agent')).toBe('none');
    expect(networkOf(plan, 'mcp-files')).toBe('none');
    expect(plan.waves.flat()).toHaveLength(2);
  });

  it('give each server with internet a separate restricted one', () => {
    const internet = { network: 'internet' as const };
    const plan = render(configuration({ servers: [serverNamed('a', internet), serverNamed('b', internet)] }));
    expect(networkOf(plan, 'mcp-a')).toBe(`container:${name('net-mcp-a')}`);
    expect(networkOf(plan, 'mcp-b')).toBe(`container:${name('net-mcp-b')}`);
    expect(named(plan, 'mcp-a').body.Entrypoint.slice(0, 3)).toEqual([
      '/opt/platform/bin/relay',
      '--network',
      'restricted',
    ]);
    expect(named(plan, 'net-mcp-a').body).toMatchObject({
      Entrypoint: ['/opt/platform/bin/relay', 'network-policy', '--dns', '192.0.2.53'],
      User: '0:0',
      HostConfig: { NetworkMode: 'internet', Dns: ['192.0.2.53'], CapAdd: ['NET_ADMIN'], Binds: [] },
    });
  });

  describe('with a private host that the operator listed for one remote server', () => {
    const far = remoteNamed('far', { shape: { type: 'remote', url: 'https://mcp.internal:8443/mcp' } });
    const plan = render(
      configuration({ agent: { network: 'internet' }, servers: [far, remoteNamed('other')] }),
    );
    const opened = (host: OpenedHost) => withOpened(named(plan, 'net-mcp-far'), host);

    it('open it in the network policy of that server alone', () => {
      expect(all(plan).flatMap(({ name: each, opens }) => (opens === null ? [] : [[each, opens]]))).toEqual([
        ['net-mcp-far', 'https://mcp.internal:8443'],
      ]);
      const { body } = opened({
        name: 'mcp.internal',
        addresses: ['10.1.2.3', 'fd00::5', '10.1.2.4'],
        port: 8443,
      });
      expect(body.Entrypoint).toEqual([
        ...['/opt/platform/bin/relay', 'network-policy', '--dns', '192.0.2.53'],
        ...['--open', '10.1.2.3:8443', '--open', '10.1.2.4:8443'],
      ]);
      expect(body.HostConfig.ExtraHosts).toEqual(['mcp.internal:10.1.2.3', 'mcp.internal:10.1.2.4']);
    });

    it('name no host that is an address, and open none without IPv4', () => {
      const { body } = opened({ name: null, addresses: ['10.1.2.3'], port: 80 });
      expect(body.Entrypoint.slice(-2)).toEqual(['--open', '10.1.2.3:80']);
      expect(body.HostConfig.ExtraHosts).toBeUndefined();
      expect(() => opened({ name: 'mcp.internal', addresses: ['fd00::5'], port: 80 })).toThrow(
        'mcp.internal of PRIVATE_MCP_HOSTS has no IPv4 address',
      );
    });

    it('follow every rule of hardening, and break one for anybody else', () => {
      const host = { name: 'mcp.internal', addresses: ['10.1.2.3'], port: 8443 };
      const withOpening = (container: string) => ({
        ...plan,
        waves: plan.waves.map((wave) =>
          wave.map((each) => (each.name === container ? withOpened(each, host) : each)),
        ),
      });
      expect(violations(withOpening('net-mcp-far'), settings)).toEqual([]);
      for (const container of ['net-mcp-other', 'net-agent', 'mcp-far', 'agent']) {
        expect(violations(withOpening(container), settings)).not.toEqual([]);
      }
    });
  });

  it.each([
    ['none', { agent: 'none', sibling: 'none' }],
    ['internet', { agent: `container:${name('net-agent')}`, sibling: `container:${name('net-sibling-db')}` }],
  ] as const)('give each sibling one of its own, with %s as its agent', (network, expected) => {
    const sibling = {
      name: 'db',
      run: { type: 'command' as const, command: 'db', args: [] },
      image: null,
      env: {},
    };
    const plan = render(configuration({ agent: { network }, siblings: [sibling] }));
    expect(networkOf(plan, 'sibling-db')).toBe(expected.sibling);
    expect(networkOf(plan, 'agent')).toBe(expected.agent);
  });

  it('limit the sidecar’s DNS lookups of the API to seconds', () => {
    const { NetworkMode, DnsOptions } = render(configuration()).sidecar.body.HostConfig;
    expect({ NetworkMode, DnsOptions }).toEqual({
      NetworkMode: 'sidecars',
      DnsOptions: ['timeout:1', 'attempts:2'],
    });
  });

  it('refuse private destinations with a sentence', () => {
    const egress = { agent: { network: 'internet' as const, egress_allow: ['10.1.2.3:5432'] } };
    expect(() => render(configuration(egress))).toThrow(UnsupportedWorkloadError);
    expect(() => render(configuration(egress))).toThrow('private destinations can be opened only where');
  });
});

describe('the rules that the renderer is tested with', () => {
  const plan = () => render(configuration({ servers: [serverNamed('files', { network: 'internet' })] }));
  const bindsOf = (container: string) => named(plan(), container).body.HostConfig.Binds;
  const rebound = (from: string, to: string) =>
    host('agent', { Binds: bindsOf('agent').map((each) => each.replace(from, to)) });
  const changed = (container: string, change: (plan: ContainerPlan) => unknown): SessionPlan => {
    const copy = structuredClone(plan());
    change(named(copy, container));
    return copy;
  };
  const host = (container: string, values: Record<string, unknown>) =>
    changed(container, ({ body }) => Object.assign(body.HostConfig, values));

  it.each<[string, () => SessionPlan]>([
    ['a writable root', () => host('agent', { ReadonlyRootfs: false })],
    ['a capability', () => host('agent', { CapAdd: ['NET_ADMIN'] })],
    ['another capability of a holder', () => host('net-mcp-files', { CapAdd: ['SYS_ADMIN'] })],
    ['capabilities that stay', () => host('agent', { CapDrop: [] })],
    ['new privileges', () => host('mcp-files', { SecurityOpt: [] })],
    ['no seccomp profile', () => host('agent', { SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] })],
    ['root', () => changed('agent', ({ body }) => Object.assign(body, { User: '0:0' }))],
    ['a shared user', () => changed('agent', ({ body }) => Object.assign(body, { User: '10001:10001' }))],
    ['the host’s network', () => host('agent', { NetworkMode: 'host' })],
    ['the sidecar’s network', () => host('agent', { NetworkMode: 'sidecars' })],
    ['the sidecar’s own namespace', () => host('agent', { NetworkMode: `container:${name('sidecar')}` })],
    ['unlimited memory', () => host('agent', { Memory: 0 })],
    ['swap', () => host('agent', { MemorySwap: -1 })],
    ['unlimited processes', () => host('agent', { PidsLimit: 0 })],
    ['a mount of another form', () => host('agent', { Mounts: [] })],
    ['a device', () => host('agent', { Devices: [{}] })],
    ['the host’s processes', () => host('agent', { PidMode: 'host' })],
    ['a restart', () => host('agent', { RestartPolicy: { Name: 'always' } })],
    ['a writable view', () => rebound(':ro,', ':rw,')],
    ['a view that its image fills', () => rebound(',nocopy', '')],
    ['another’s view', () => host('agent', { Binds: [...bindsOf('agent'), ...bindsOf('mcp-files')] })],
    [
      'the boot file',
      () => host('mcp-files', { Binds: [`${name('')}.boot:/boot:ro,nocopy`.replace('-.', '.')] }),
    ],
    ['a directory of the host', () => host('agent', { Binds: ['/etc:/etc:ro,nocopy'] })],
    ['a holder that sees something', () => host('net-mcp-files', { Binds: bindsOf('agent') })],
    ['no label', () => changed('agent', ({ body }) => Object.assign(body, { Labels: {} }))],
    [
      'the image’s health check',
      () => changed('agent', ({ body }) => Object.assign(body, { Healthcheck: {} })),
    ],
  ])('notice %s', (_, broken) => {
    expect(violations(broken(), settings)).not.toEqual([]);
  });
});
