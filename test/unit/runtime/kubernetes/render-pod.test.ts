import { describe, expect, it } from '@jest/globals';
import type { V1Container, V1Pod, V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import fc from 'fast-check';
import { labelKeys } from '../../../../runtime/kubernetes/names.ts';
import { startedByRelayOf } from '../../../../runtime/kubernetes/relay-path.ts';
import { escapeExpansion } from '../../../../runtime/kubernetes/render-container.ts';
import type { KubernetesSettings } from '../../../../runtime/kubernetes/settings.ts';
import { resolvedSecret } from '../../../../runtime/variables.ts';
import { checkProperty, samplesOf } from '../../../support/property.ts';
import { randomLaunch } from '../../../support/random-configurations.ts';
import { expandAsKubelet } from './kubelet-expansion.ts';
import { renderAll } from './rendering.ts';
import { restrictedViolations } from './restricted.ts';

const runs = { runs: 1000 };
/** Every possible configuration of the platform by an operator. */
const anySettings: fc.Arbitrary<Partial<KubernetesSettings>> = fc.record({
  secretDelivery: fc.constantFrom('reference', 'inline'),
  runtimeClass: fc.constantFrom(null, 'gvisor'),
  nodeSelector: fc.constantFrom({}, { pool: 'sessions', 'example.com/zone': 'a' }),
  tolerations: fc.constantFrom(
    [],
    [{ operator: 'Exists' }],
    [{ key: 'pool', effect: 'NoExecute', tolerationSeconds: 5 }],
  ),
  imagePullSecrets: fc.uniqueArray(fc.constantFrom('pull-a', 'pull-b')),
  cpuRequestPercent: fc.integer({ min: 1, max: 100 }),
  memoryRequestPercent: fc.integer({ min: 1, max: 100 }),
  sessionVolumeBytes: fc.integer({ min: 1024 * 1024, max: 1024 * 1024 * 1024 }),
});
const containersOf = (pod: V1Pod): V1Container[] => pod.spec?.containers ?? [];
const mountsOf = (container: V1Container): V1VolumeMount[] => container.volumeMounts ?? [];

/** The rules of docs/runtimes.md that go beyond the standard, as sentences about what breaks them. */
function isolationViolations(pod: V1Pod): string[] {
  const containers = containersOf(pod);
  const found: string[] = [];
  const refuse = (when: boolean, rule: string) => {
    if (when) {
      found.push(rule);
    }
  };
  const uids = containers.map(({ securityContext }) => securityContext?.runAsUser);
  const groups = containers.map(({ securityContext }) => securityContext?.runAsGroup);
  refuse(new Set(uids).size !== containers.length, 'two containers share a user');
  refuse(new Set(groups).size !== containers.length, 'two containers share a group');
  refuse(
    [...uids, ...groups].some((id) => id === undefined || id < 10_000),
    'a user or group of the system',
  );
  refuse(pod.spec?.automountServiceAccountToken !== false, 'a service account token');
  refuse(pod.spec?.enableServiceLinks !== false, 'service links');
  refuse(pod.spec?.restartPolicy !== 'Never', 'restarts');
  refuse((pod.spec?.initContainers ?? []).length > 0, 'init containers');
  refuse(pod.spec?.shareProcessNamespace === true, 'shared processes');
  refuse(containers[0]?.name !== 'sidecar', 'the sidecar is not first');
  refuse(containers.at(-1)?.name !== 'agent', 'the agent is not last');
  refuse(
    (pod.spec?.volumes ?? []).some(({ emptyDir }) => emptyDir && !emptyDir.sizeLimit),
    'a volume without limit',
  );
  const volumes = pod.spec?.volumes ?? [];
  refuse(new Set(volumes.map(({ name }) => name)).size !== volumes.length, 'two volumes of one name');
  for (const container of containers) {
    const paths = mountsOf(container).map(({ mountPath }) => mountPath);
    refuse(new Set(paths).size !== paths.length, `${container.name}: two mounts at one path`);
    const room = mountsOf(container).reduce((sum, mount) => sum + diskBytesOf(mount, volumes), 0);
    const limit = Number(container.resources?.limits?.['ephemeral-storage']);
    refuse(room > limit, `${container.name}: less room than its volumes have`);
    const { name, securityContext, resources, command, args } = container;
    const relay = `/opt/platform${name === 'sidecar' ? '/bin' : `-${pod.metadata?.labels?.[labelKeys.launch]}`}/relay`;
    refuse(securityContext?.readOnlyRootFilesystem !== true, `${name}: writable root`);
    refuse(
      !mountsOf(container).some(
        ({ mountPath, name: volume }) => mountPath === '/dev/shm' && volume !== 'session',
      ),
      `${name}: the memory of the Pod`,
    );
    refuse(command?.[0] !== relay || args !== undefined, `${name}: not started by the relay of the launch`);
    for (const kind of ['memory', 'cpu', 'ephemeral-storage']) {
      refuse(!resources?.limits?.[kind] || !resources.requests?.[kind], `${name}: ${kind} without a limit`);
    }
    refuse((container.envFrom ?? []).length > 0, `${name}: a whole Secret as environment`);
    if (name !== 'sidecar') {
      refuse(
        !mountsOf(container).every((mount) => mayMount(name, mount, containers)),
        `${name}: sees what it may not`,
      );
      refuse(container.lifecycle !== undefined, `${name}: a hook`);
    }
  }
  return found;
}

/** The size limit of a volume that is the container's own and on the node's disk. */
function diskBytesOf({ name }: V1VolumeMount, volumes: readonly V1Volume[]): number {
  const { emptyDir } = volumes.find((volume) => volume.name === name) ?? {};
  return emptyDir === undefined || emptyDir.medium === 'Memory' || name === 'session'
    ? 0
    : Number(emptyDir.sizeLimit);
}

/** Its own view and the relay, read-only, and volumes that no other container mounts. */
function mayMount(
  name: string,
  { name: volume, subPath, readOnly }: V1VolumeMount,
  all: V1Container[],
): boolean {
  if (volume !== 'session') {
    const users = all.filter((each) => mountsOf(each).some((mount) => mount.name === volume));
    return volume !== 'boot' && users.length === 1;
  }
  const ofServer = [`servers/${name.slice('mcp-'.length)}`];
  const ofOthers = [`reports/${name}`, ...(name === 'agent' || name === 'model' ? [name] : [])];
  const own = ['bin', ...(name.startsWith('mcp-') ? ofServer : ofOthers)];
  return readOnly === true && subPath !== undefined && own.includes(subPath);
}

describe('the Pod of any configuration', () => {
  it('follows every rule of `restricted`, and mounts in each container its own part of the session only', () => {
    checkProperty(
      fc.property(randomLaunch, anySettings, ({ configuration, secrets }, settings) => {
        const { pod } = renderAll(configuration, secrets, settings);
        expect(restrictedViolations(JSON.parse(JSON.stringify(pod)))).toEqual([]);
        expect(isolationViolations(pod)).toEqual([]);
      }),
      { runs: 2000 },
    );
  });

  it('holds no secret value, and names no Secret of another container', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration, secrets, values }) => {
        const { pod, secrets: rendered } = renderAll(configuration, secrets);
        const text = JSON.stringify(pod);
        expect(values.filter((value) => text.includes(value))).toEqual([]);
        const names = new Set(rendered.map(({ metadata }) => metadata?.name));
        const foreign = containersOf(pod).flatMap(({ name, env = [] }) =>
          env.filter(({ name: variable, valueFrom }) => {
            const { name: secret = '', key = '' } = valueFrom?.secretKeyRef ?? {};
            return (
              valueFrom !== undefined &&
              !(secret.endsWith(`-env-${name}`) && names.has(secret) && key === variable)
            );
          }),
        );
        expect(foreign).toEqual([]);
      }),
      runs,
    );
  });

  it('gives each container exactly the text that was configured, after what the kubelet expands', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration, secrets }) => {
        const { pod, workload } = renderAll(configuration, secrets, { secretDelivery: 'inline' });
        const seen = containersOf(pod).map((container) => {
          const { command, env } = expandAsKubelet(container);
          return { command, env: [...env] };
        });
        const configured = workload.containers.map((spec) => ({
          command: startedByRelayOf(pod.metadata?.labels?.[labelKeys.launch] ?? '', spec),
          env: spec.env.map((variable) => [
            variable.name,
            'value' in variable ? variable.value : resolvedSecret(spec, variable.name, secrets),
          ]),
        }));
        expect(seen).toEqual(configured);
      }),
      runs,
    );
  });

  it('tolerates the taints of a lost node for a minute, whatever else it tolerates', () => {
    const more = [
      { operator: 'Exists' as const },
      { key: 'pool', value: 'a', effect: 'NoSchedule' as const },
    ];
    checkProperty(
      fc.property(randomLaunch, ({ configuration, secrets }) => {
        const { pod } = renderAll(configuration, secrets, { tolerations: more });
        const lost = ['not-ready', 'unreachable'].map((condition) => ({
          ...{ key: `node.kubernetes.io/${condition}`, operator: 'Exists' },
          ...{ effect: 'NoExecute', tolerationSeconds: 60 },
        }));
        // Of those that match a taint, Kubernetes takes the first.
        expect(pod.spec?.tolerations).toEqual([...lost, ...more]);
      }),
      { runs: 20 },
    );
  });

  it('is the same for the same configuration', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration, secrets }) => {
        expect(renderAll(configuration, secrets)).toEqual(renderAll(configuration, secrets));
      }),
      { runs: 100 },
    );
  });

  it('is checked by rules that detect a weaker one', () => {
    const notice = (change: (pod: V1Pod, first: V1Container, agent: V1Container) => void): string[] => {
      const [sample] = samplesOf(randomLaunch, 1, 7);
      if (sample === undefined) {
        throw new Error('no sample');
      }
      const pod = structuredClone(renderAll(sample.configuration, sample.secrets).pod);
      const [sidecar, agent] = containersOf(pod);
      change(pod, sidecar ?? { name: '' }, agent ?? { name: '' });
      return [...restrictedViolations(JSON.parse(JSON.stringify(pod))), ...isolationViolations(pod)];
    };
    const weaker: ((pod: V1Pod, sidecar: V1Container, agent: V1Container) => void)[] = [
      ({ spec }) => Object.assign(spec ?? {}, { hostNetwork: true }),
      ({ spec }) => Object.assign(spec ?? {}, { hostPID: true }),
      ({ spec }) => Object.assign(spec ?? {}, { automountServiceAccountToken: undefined }),
      ({ spec }) => Object.assign(spec ?? {}, { shareProcessNamespace: true }),
      ({ spec }) => spec?.volumes?.push({ name: 'host', hostPath: { path: '/' } }),
      ({ spec }) => spec?.volumes?.push({ name: 'room', emptyDir: {} }),
      (_, __, agent) => Object.assign(agent.securityContext ?? {}, { capabilities: { drop: ['NET_RAW'] } }),
      (_, __, agent) =>
        Object.assign(agent.securityContext ?? {}, { capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } }),
      (_, __, agent) => Object.assign(agent.securityContext ?? {}, { allowPrivilegeEscalation: undefined }),
      (_, __, agent) => Object.assign(agent.securityContext ?? {}, { readOnlyRootFilesystem: false }),
      (_, __, agent) => Object.assign(agent.securityContext ?? {}, { runAsUser: 0 }),
      (_, sidecar, agent) => Object.assign(agent, { securityContext: sidecar.securityContext }),
      (_, sidecar, agent) => Object.assign(agent, { volumeMounts: sidecar.volumeMounts }),
      (_, __, agent) =>
        agent.volumeMounts?.push({
          name: 'session',
          mountPath: '/x',
          subPath: 'servers/other',
          readOnly: true,
        }),
      (_, __, agent) => agent.volumeMounts?.push({ name: 'boot', mountPath: '/boot' }),
      (_, __, agent) =>
        agent.volumeMounts?.forEach((mount) => {
          mount.readOnly = false;
        }),
      (_, __, agent) => Object.assign(agent.resources?.limits ?? {}, { memory: undefined }),
      (_, __, agent) => agent.command?.shift(),
    ];
    for (const [index, change] of weaker.entries()) {
      expect({ index, noticed: notice(change) }).not.toEqual({ index, noticed: [] });
    }
    expect(notice(() => undefined)).toEqual([]);
    expect(
      expandAsKubelet({ name: 'x', env: [{ name: 'A', value: 's' }], command: ['$(A)'] }).command,
    ).toEqual(['s']);
    expect(escapeExpansion('$(A)')).toBe('$$(A)');
  });
});
