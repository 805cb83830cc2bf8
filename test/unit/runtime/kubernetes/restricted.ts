/**
 * The Pod Security Standard `restricted` as its page at kubernetes.io states it, control by control, over a
 * manifest as plain JSON. It knows nothing of the renderer.
 */
import * as z from 'zod';

const securityContext = z.looseObject({
  privileged: z.boolean().optional(),
  allowPrivilegeEscalation: z.boolean().optional(),
  runAsNonRoot: z.boolean().optional(),
  runAsUser: z.number().optional(),
  procMount: z.string().optional(),
  seLinuxOptions: z.unknown().optional(),
  windowsOptions: z.looseObject({ hostProcess: z.boolean().optional() }).optional(),
  appArmorProfile: z.unknown().optional(),
  sysctls: z.array(z.unknown()).optional(),
  seccompProfile: z.looseObject({ type: z.string() }).optional(),
  capabilities: z
    .looseObject({ add: z.array(z.string()).optional(), drop: z.array(z.string()).optional() })
    .optional(),
});
const probe = z.looseObject({
  httpGet: z.looseObject({ host: z.string().optional() }).optional(),
  tcpSocket: z.looseObject({ host: z.string().optional() }).optional(),
});
const container = z.looseObject({
  name: z.string(),
  securityContext: securityContext.default({}),
  ports: z.array(z.looseObject({ hostPort: z.number().optional() })).default([]),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  startupProbe: probe.optional(),
  lifecycle: z.looseObject({ postStart: probe.optional(), preStop: probe.optional() }).default({}),
});
const pod = z.looseObject({
  metadata: z.looseObject({ annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z.looseObject({
    hostNetwork: z.boolean().optional(),
    hostPID: z.boolean().optional(),
    hostIPC: z.boolean().optional(),
    hostUsers: z.boolean().optional(),
    securityContext: securityContext.default({}),
    containers: z.array(container),
    initContainers: z.array(container).default([]),
    ephemeralContainers: z.array(container).default([]),
    volumes: z.array(z.record(z.string(), z.unknown())).default([]),
  }),
});
const allowedVolumes = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);
const allowedProfiles = new Set(['RuntimeDefault', 'Localhost']);

/**
 * What `restricted` (and `baseline`, which it contains) refuses of a Pod's manifest, as
 * sentences; empty for none.
 */
export function restrictedViolations(manifest: unknown): string[] {
  const { metadata, spec } = pod.parse(manifest);
  const found: string[] = [];
  const refuse = (when: boolean, rule: string) => {
    if (when) {
      found.push(rule);
    }
  };
  refuse(spec.hostNetwork === true || spec.hostPID === true || spec.hostIPC === true, 'host namespaces');
  refuse((spec.securityContext.sysctls ?? []).length > 0, 'sysctls');
  refuse(
    Object.keys(metadata.annotations).some((key) => key.includes('apparmor') || key.includes('seccomp')),
    'profiles by annotation',
  );
  for (const { name, ...sources } of spec.volumes) {
    refuse(
      Object.keys(sources).some((type) => !allowedVolumes.has(type)),
      `volume type of ${String(name)}`,
    );
  }
  const ofPod = spec.securityContext;
  refuse(ofPod.runAsUser === 0, 'runAsUser 0');
  refuse(ofPod.seLinuxOptions !== undefined, 'SELinux options');
  refuse(ofPod.windowsOptions?.hostProcess === true, 'HostProcess');
  refuse(
    ofPod.seccompProfile !== undefined && !allowedProfiles.has(ofPod.seccompProfile.type),
    'seccomp profile of the Pod',
  );
  for (const { name, securityContext: own, ports, lifecycle, ...probes } of [
    ...spec.containers,
    ...spec.initContainers,
    ...spec.ephemeralContainers,
  ]) {
    refuse(own.privileged === true, `${name}: privileged`);
    refuse(own.allowPrivilegeEscalation !== false, `${name}: allowPrivilegeEscalation`);
    refuse((own.runAsNonRoot ?? ofPod.runAsNonRoot) !== true, `${name}: runAsNonRoot`);
    refuse(own.runAsUser === 0, `${name}: runAsUser 0`);
    refuse(
      !allowedProfiles.has((own.seccompProfile ?? ofPod.seccompProfile)?.type ?? 'none'),
      `${name}: seccomp`,
    );
    refuse(!(own.capabilities?.drop ?? []).includes('ALL'), `${name}: capabilities.drop`);
    refuse(
      (own.capabilities?.add ?? []).some((each) => each !== 'NET_BIND_SERVICE'),
      `${name}: capabilities.add`,
    );
    refuse(own.procMount !== undefined && own.procMount !== 'Default', `${name}: procMount`);
    refuse(own.seLinuxOptions !== undefined, `${name}: SELinux options`);
    refuse(own.windowsOptions?.hostProcess === true, `${name}: HostProcess`);
    refuse(
      ports.some(({ hostPort = 0 }) => hostPort !== 0),
      `${name}: host ports`,
    );
    const hooks = [
      probes.livenessProbe,
      probes.readinessProbe,
      probes.startupProbe,
      lifecycle.postStart,
      lifecycle.preStop,
    ];
    refuse(
      hooks.some((hook) => (hook?.httpGet?.host ?? hook?.tcpSocket?.host ?? '') !== ''),
      `${name}: host of a probe`,
    );
  }
  return found;
}
