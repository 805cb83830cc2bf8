/** Pure: the environment of one container, with its secrets; it exists for as long as the request that carries it. */
import type { ContainerSpec } from '../container-workload/container-workload.ts';
import type { LaunchSecrets, ResolvedEnv } from '../workload.ts';

/** As `NAME=value`. Throws, without a value, when one was not resolved. */
export function containerEnv(spec: ContainerSpec | null, secrets: LaunchSecrets): string[] {
  if (spec === null) {
    return [];
  }
  const resolved = resolvedFor(spec, secrets);
  return spec.env.map((variable) => {
    const value = 'isSecret' in variable ? resolved[variable.name] : variable.value;
    if (value === undefined) {
      throw new Error(`no value was resolved for ${variable.name} of ${spec.name}`);
    }
    return `${variable.name}=${value}`;
  });
}

function resolvedFor({ role, subject }: ContainerSpec, secrets: LaunchSecrets): ResolvedEnv {
  switch (role) {
    case 'sidecar':
      return {};
    case 'agent':
      return secrets.agentEnv;
    case 'server':
      return secrets.serverEnv[subject ?? ''] ?? {};
    case 'sibling':
      return secrets.siblingEnv[subject ?? ''] ?? {};
  }
}
