import type { ContainerConfig } from '../../config/containers.ts';
import { type SidecarLimitSettings, sidecarLimits } from '../sidecar-limits.ts';
import type { ContainerSettings } from './container-parts.ts';

interface SessionSettings extends SidecarLimitSettings {
  AUDIT_SYNC: ContainerSettings['auditSync'];
  SESSION_TOTAL_SECONDS: number;
  PRIVATE_MCP_HOSTS: ContainerSettings['privateHosts'];
  MODEL_BASE_URL: string;
}

/** What sessions are rendered with, from the worker's configuration. */
export function containerSettings(
  config: ContainerConfig & SessionSettings,
  { apiUrl, networks }: Pick<ContainerSettings, 'apiUrl' | 'networks'>,
): ContainerSettings {
  return {
    apiUrl,
    auditSync: config.AUDIT_SYNC,
    networks,
    privateHosts: config.PRIVATE_MCP_HOSTS,
    modelBaseUrl: config.MODEL_BASE_URL,
    images: {
      sidecar: config.SIDECAR_IMAGE,
      scripted: config.SCRIPTED_IMAGE,
      runner: config.RUNNER_IMAGE,
      claude: config.CLAUDE_IMAGE ?? null,
    },
    sizes: {
      sidecar: { memoryBytes: config.SIDECAR_MEMORY_BYTES, cpuMillis: config.SIDECAR_CPU_MILLIS },
      agent: { memoryBytes: config.AGENT_MEMORY_BYTES, cpuMillis: config.AGENT_CPU_MILLIS },
      server: { memoryBytes: config.SERVER_MEMORY_BYTES, cpuMillis: config.SERVER_CPU_MILLIS },
    },
    workspaceBytes: config.WORKSPACE_BYTES,
    temporaryBytes: config.TEMPORARY_BYTES,
    totalSeconds: config.SESSION_TOTAL_SECONDS,
    sidecarLimits: sidecarLimits(config),
  };
}
