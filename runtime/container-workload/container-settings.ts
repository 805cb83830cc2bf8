import type { ContainerConfig } from '../../config/containers.ts';
import { allModelEndpoints } from '../../config/model-endpoints.ts';
import type { AcpPreset } from '../../contract/acp-preset.ts';
import type { ModelEndpoints } from '../../contract/model-endpoint.ts';
import type { ModelSettings } from '../model-program.ts';
import { type BootSettings, type SidecarLimitSettings, sidecarLimits } from '../render-boot.ts';
import type { ContainerSize } from './container-workload.ts';

export interface ContainerSettings extends BootSettings, ModelSettings {
  /** `claude`: null where no operator named one. */
  images: { sidecar: string; scripted: string; runner: string; claude: string | null };
  /** Of the agent `acp`, by preset, as an operator named them. */
  acpImages: Readonly<Partial<Record<AcpPreset, string>>>;
  sizes: { sidecar: ContainerSize; agent: ContainerSize; server: ContainerSize };
  /** Of `/workspace` in each container. */
  workspaceBytes: number;
  /** Of `/tmp`, and of each volume that an image declares. */
  temporaryBytes: number;
  /** Of a session whose agent sets none. */
  totalSeconds: number;
  /**
   * How the relay narrows a container's network before it runs anything. `shared`: the containers share one
   * network, so the relay enforces `none`. `own`: each has its own, and the relay makes sure that `internet`
   * reaches nothing but the internet.
   */
  networks: 'shared' | 'own';
}

const mebibyte = 1024 * 1024;
/** What a sidecar holds is bounded by its limits, which are the same for every session. */
const sidecarSize = { memoryBytes: 256 * mebibyte, cpuMillis: 500 };
/** `/tmp` of each container, and each volume of its image. */
const temporaryBytes = 256 * mebibyte;

interface SessionSettings extends SidecarLimitSettings {
  AUDIT_SYNC: ContainerSettings['auditSync'];
  SESSION_TOTAL_SECONDS: number;
  PRIVATE_MCP_HOSTS: ContainerSettings['privateHosts'];
  MODEL_BASE_URL: string;
  MODEL_ENDPOINTS: ModelEndpoints;
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
    modelEndpoints: allModelEndpoints(config),
    images: {
      sidecar: config.SIDECAR_IMAGE,
      scripted: config.SCRIPTED_IMAGE,
      runner: config.RUNNER_IMAGE,
      claude: config.CLAUDE_IMAGE ?? null,
    },
    acpImages: config.ACP_IMAGES,
    sizes: {
      sidecar: sidecarSize,
      agent: { memoryBytes: config.AGENT_MEMORY_BYTES, cpuMillis: config.AGENT_CPU_MILLIS },
      server: { memoryBytes: config.SERVER_MEMORY_BYTES, cpuMillis: config.SERVER_CPU_MILLIS },
    },
    workspaceBytes: config.WORKSPACE_BYTES,
    temporaryBytes,
    totalSeconds: config.SESSION_TOTAL_SECONDS,
    sidecarLimits: sidecarLimits(config),
  };
}
