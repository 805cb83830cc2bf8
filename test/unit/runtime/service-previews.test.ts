/** The workload of a service preview on each runtime: its gateway, and the service behind the relay. */

import { describe, expect, it } from '@jest/globals';
import type { Run } from '../../../contract/agent.ts';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import { sidecarBoot } from '../../../contract/sidecar.ts';
import { renderContainerWorkload } from '../../../runtime/container-workload/render-container-workload.ts';
import {
  type RenderRules,
  renderAgentConfig,
  renderLaunch,
  renderWorkload,
} from '../../../runtime/process/render-launch.ts';
import { keyedBoot } from '../../../runtime/render-boot.ts';
import { UnsupportedWorkloadError } from '../../../runtime/workload.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { testEndpoints } from '../../support/model-endpoints.ts';
import { testContainerSettings } from '../../support/random-configurations.ts';
import { sandboxedMachine } from '../../support/sandboxed-machine.ts';
import { renderAll } from './kubernetes/rendering.ts';

const owner = '00000000-0000-4000-8000-000000000009';
const run: Run = { type: 'command', command: 'node', args: ['server.js'] };
const service = (
  agent: Partial<FrozenConfiguration['agent']> = {},
  more: Partial<Omit<FrozenConfiguration, 'agent'>> = {},
) =>
  configuration({
    agent: { name: 'web', run, ...agent },
    service: { port: 9000, session_id: owner },
    ...more,
  });
const secrets = {
  agentEnv: {},
  serverEnv: {},
  siblingEnv: {},
  registryCredentials: {},
  sidecar: { internal_token: 't', control_key: 'k' },
};
const rules: RenderRules = {
  sandbox: true,
  seededCommands: null,
  internet: true,
  claude: false,
  privateHosts: new Map(),
  modelEndpoints: testEndpoints(),
};
const directory = '/data/sessions/p';
const launch = (frozen: FrozenConfiguration, agentEnv: Record<string, string> = {}) =>
  renderLaunch(
    renderWorkload(frozen, rules),
    { ...secrets, agentEnv },
    { machine: sandboxedMachine, directory },
  );
const inContainers = (frozen: FrozenConfiguration, networks: 'own' | 'shared' = 'shared') =>
  renderContainerWorkload(frozen, { ...testContainerSettings, networks });
const forwarding = ['--gateway', '/run/platform/agent/service.sock', '--port', '9000', '--'];

describe('a service as processes', () => {
  it('is a gateway, and the service alone behind the relay as the first process', () => {
    const { boot, sockets, containers } = launch(service());
    expect(sidecarBoot.parse(boot)).toMatchObject({ service: { port: 9000 }, servers: [], siblings: [] });
    expect(sockets).toEqual([
      `${directory}/agent/agent/service.sock`,
      `${directory}/reports/agent/.report.sock`,
    ]);
    expect(containers.map(({ name }) => name)).toEqual(['agent']);
    expect(containers[0]?.argv).toEqual([
      '/opt/platform/bin/relay',
      'run',
      ...forwarding,
      'node',
      'server.js',
    ]);
    expect(containers[0]?.sandbox).toEqual(expect.arrayContaining(['--as-pid-1', '--unshare-net']));
  });

  it('is told its port, unless one is configured, and nothing of a session', () => {
    const [told] = launch(service()).containers;
    expect(told?.env).toMatchObject({ PORT: '9000', HOME: '/workspace' });
    expect(Object.keys(told?.env ?? {}).filter((name) => name.startsWith('PLATFORM_'))).toEqual([]);
    const env = { PORT: { kind: 'value' as const, value: '3000' } };
    expect(launch(service({ env }), { PORT: '3000' }).containers[0]?.env).toMatchObject({ PORT: '3000' });
  });

  it('has no configuration of an agent', () => {
    expect(
      renderAgentConfig(renderWorkload(service(), rules), { machine: sandboxedMachine, directory }),
    ).toBeNull();
  });

  it('shares no network with another program, and so needs a sandbox', () => {
    const unconfined = { ...rules, sandbox: false };
    expect(() => renderWorkload(service(), unconfined)).toThrow(/^services need a sandbox/);
    expect(() => renderWorkload(service(), unconfined)).toThrow(UnsupportedWorkloadError);
  });
});

describe('a service in containers', () => {
  it('is a sidecar as its gateway, and the service alone, whose relay forwards to its port', () => {
    const { containers, boot, ownerSessionId } = inContainers(service({ network: 'internet' }));
    expect(containers.map(({ name }) => name)).toEqual(['sidecar', 'agent']);
    expect(sidecarBoot.parse(keyedBoot(boot, secrets))).toMatchObject({
      service: { port: 9000 },
      agent_config: null,
    });
    expect(ownerSessionId).toBe(owner);
    const argv = containers[1]?.argv ?? [];
    expect(argv.slice(argv.indexOf('--wait'))).toEqual([
      ...['--wait', '/run/platform/agent/service.sock'],
      ...[...forwarding, 'node', 'server.js'],
    ]);
    expect(argv).not.toContain('--network');
  });

  it.each([
    ['shared', 'none', 'listen'],
    ['shared', 'internet', undefined],
    ['own', 'none', undefined],
    ['own', 'internet', 'restricted'],
  ] as const)(
    'is narrowed with networks that are %s and its network %s: %s',
    (networks, network, narrowed) => {
      const argv = inContainers(service({ network }), networks).containers[1]?.argv ?? [];
      const at = argv.indexOf('--network');
      expect(at < 0 ? undefined : argv[at + 1]).toBe(narrowed);
    },
  );

  it('is told its port, unless one is configured, and nothing of a session', () => {
    const namesOf = (frozen: FrozenConfiguration) =>
      Object.fromEntries(
        (inContainers(frozen).containers[1]?.env ?? []).map((each) => [
          each.name,
          'value' in each ? each.value : null,
        ]),
      );
    expect(namesOf(service())).toMatchObject({ PORT: '9000' });
    expect(Object.keys(namesOf(service())).filter((name) => name.startsWith('PLATFORM_'))).toEqual([]);
    const env = { PORT: { kind: 'value' as const, value: '3000' } };
    expect(namesOf(service({ env }))).toMatchObject({ PORT: '3000' });
  });
});

describe('a service on a cluster', () => {
  it('does not listen where its gateway does, whose network it shares', () => {
    const onControlPort = service({}, { service: { port: 7070, session_id: owner } });
    expect(() => inContainers(onControlPort)).toThrow(UnsupportedWorkloadError);
    expect(() => inContainers(onControlPort)).toThrow(
      'the service "web": its PORT 7070 is the platform\'s own in a session\'s Pod; set another one',
    );
    expect(inContainers(onControlPort, 'own').boot).toMatchObject({ service: { port: 7070 } });
  });

  it('is reached by the API as well as the worker, on the control port alone', () => {
    const labels = ({ policy }: ReturnType<typeof renderAll>) =>
      policy.spec.ingress.map(({ from, ports }) => ({
        from: from.map(({ podSelector }) => podSelector?.matchLabels?.['app']),
        ports: ports.map(({ port }) => port),
      }));
    expect(labels(renderAll(service(), secrets))).toEqual([{ from: ['worker', 'api'], ports: [7070] }]);
    expect(labels(renderAll(configuration(), secrets))).toEqual([{ from: ['worker'], ports: [7070] }]);
  });

  it('is a Pod that is removed with its session’s', () => {
    const { pod } = renderAll(service(), secrets, {}, [], { name: 'session-x', uid: 'its-uid' });
    expect(pod.metadata?.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Pod', name: 'session-x', uid: 'its-uid' },
    ]);
    expect(renderAll(configuration(), secrets).pod.metadata).not.toHaveProperty('ownerReferences');
  });
});

describe('what is no service', () => {
  const everywhere: [string, (frozen: FrozenConfiguration) => unknown][] = [
    ['processes', (frozen) => renderWorkload(frozen, rules)],
    ['containers', (frozen) => inContainers(frozen)],
  ];
  it.each(everywhere)('a built-in agent is refused as %s', (_, render) => {
    const scripted = service({ run: { type: 'builtin', name: 'scripted' } });
    expect(() => render(scripted)).toThrow(UnsupportedWorkloadError);
    expect(() => render(scripted)).toThrow(
      'the service "web": "scripted" is an agent, which takes no requests; use a command or an image',
    );
  });

  it.each(everywhere)('one with servers or companions is refused as %s', (_, render) => {
    const more = service({}, { servers: [serverNamed('one')] });
    expect(() => render(more)).toThrow('the service "web": a service has no servers and no companions');
  });

  it('an image is refused as processes, in the words of the table', () => {
    const image = service({ run: { type: 'image', image: 'registry.example/web:1' } });
    expect(() => renderWorkload(image, rules)).toThrow(/^images need a container engine or a cluster/);
  });
});
