import type { ContainerSettings } from '../../runtime/container-workload/container-settings.ts';
import { testEndpoints } from './model-endpoints.ts';
import { roomySidecarLimits } from './sidecar-limits.ts';

const mebibyte = 1024 * 1024;

/** The settings that tests render sessions with: small, so that many fit on one machine. */
export function testContainerSettings(
  given: Pick<ContainerSettings, 'apiUrl' | 'images' | 'networks'>,
): ContainerSettings {
  const size = { memoryBytes: 256 * mebibyte, cpuMillis: 1000 };
  return {
    acpImages: {},
    ...given,
    sizes: { sidecar: size, agent: size, server: size },
    workspaceBytes: 32 * mebibyte,
    temporaryBytes: 16 * mebibyte,
    totalSeconds: 3600,
    privateHosts: new Map(),
    modelEndpoints: testEndpoints(),
    auditSync: 'within-100-ms',
    sidecarLimits: { ...roomySidecarLimits, artifact_bytes: mebibyte },
  };
}
