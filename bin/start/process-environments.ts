/** What API and worker of the embedded default are started with: each gets the variables that it needs and no other. */
import type { PlatformKeys } from './keys.ts';

export interface EmbeddedAddresses {
  port: number;
  databaseUrl: string;
  temporalAddress: string;
  temporalNamespace: string;
  temporalUiUrl: string | null;
  /** Of the demo's remote server, listed beside those that the caller lists. */
  privateMcpHosts: readonly string[];
}

export interface EmbeddedFolders {
  sessions: string;
  runner: string;
  claude: string;
}

export interface ProcessEnvironments {
  api: Record<string, string>;
  worker: Record<string, string>;
}

/** Variables of the caller that reach both: where programs and certificates are, and every limit that was set. */
const inherited =
  /^(PATH|HOME|TMPDIR|LANG|LC_[A-Z]+|TZ|NODE_ENV|NODE_EXTRA_CA_CERTS|LOG_LEVEL|LIMIT_[A-Z_]+|SESSION_[A-Z]+_SECONDS|REQUEST_EXPIRY_SECONDS|DENIAL_MUTE_SECONDS|REFUSED_CALL_KEPT_SECONDS|SERVER_(HANDSHAKE|CALL)_SECONDS|PROCESS_OUTPUT_KEPT_SECONDS|CHECK_SECONDS|CHECK_KEPT_SECONDS|CHANNEL_MESSAGES_KEPT_SECONDS|SCHEDULE_[A-Z_]+|TOOL_CALL_RETENTION_FLOOR_DAYS|WORKSPACE_REOPENABLE_DAYS|RATE_[A-Z_]+)$/;
const inheritedByApi = /^(PRIVATE_REGISTRIES|REGISTRY_REALMS|PREVIEW_DOMAIN|PRIVATE_EMBEDDING_HOSTS)$/;
const inheritedByWorker =
  /^(AUDIT_SYNC|MODEL_BASE_URL|PRIVATE_WEBHOOK_HOSTS|SANDBOX|ALLOW_UNSANDBOXED|WORKER_MAX_SESSIONS|WORKER_MAX_DECISIONS|(AGENT|SERVER)_(MEMORY_BYTES|CPU_MILLIS)|SANDBOX_PROCESSES|SANDBOX_CA_FILE|NPM_REGISTRY_(URL|TOKEN|TOKEN_FILE)|PYPI_INDEX_(URL|TOKEN|TOKEN_FILE)|HTTPS_PROXY(_FILE)?|NO_PROXY|PACKAGE_[A-Z_]+|UV_PROGRAM|WORKSPACE_BYTES|WARM_HOSTS)$/;

/** Pure: the worker never sees the private half of the approval keys, nor the API the public one. */
export function processEnvironments(
  keys: PlatformKeys,
  addresses: EmbeddedAddresses,
  folders: EmbeddedFolders,
  callers: Record<string, string | undefined>,
): ProcessEnvironments {
  const shared = {
    // Servers of the demo took up to 30 s to start on a busy machine; another may be five times as slow.
    SERVER_HANDSHAKE_SECONDS: '180',
    ...pick(callers, inherited),
    DATABASE_URL: addresses.databaseUrl,
    TEMPORAL_ADDRESS: addresses.temporalAddress,
    TEMPORAL_NAMESPACE: addresses.temporalNamespace,
    PRIVATE_MCP_HOSTS: [callers['PRIVATE_MCP_HOSTS'] ?? '', ...addresses.privateMcpHosts].join(','),
    MASTER_KEYS: keys.master_keys,
    SESSION_KEY_SEED: keys.session_key_seed,
  };
  return {
    api: {
      ...shared,
      ...pick(callers, inheritedByApi),
      HOST: '127.0.0.1',
      PORT: String(addresses.port),
      ...(addresses.temporalUiUrl === null ? {} : { TEMPORAL_UI_URL: addresses.temporalUiUrl }),
      APPROVAL_PRIVATE_KEY: keys.approval_private_key,
      COOKIE_KEY: keys.cookie_key,
      DEMO_SIGN_IN: 'true',
    },
    worker: {
      ...shared,
      ...pick(callers, inheritedByWorker),
      APPROVAL_PUBLIC_KEY: keys.approval_public_key,
      INTERNAL_API_URL: `http://127.0.0.1:${addresses.port}`,
      SESSIONS_DIR: folders.sessions,
      RUNNER_DIR: folders.runner,
      CLAUDE_DIR: folders.claude,
    },
  };
}

function pick(from: Record<string, string | undefined>, names: RegExp): Record<string, string> {
  return Object.fromEntries(
    Object.entries(from).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && names.test(entry[0]),
    ),
  );
}
