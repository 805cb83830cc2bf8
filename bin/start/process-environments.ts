/**
 * What API and worker of the embedded default are started with: each gets the variables
 * that it needs and no other.
 */
import { limitFields } from '../../config/limits.ts';
import { processFields } from '../../config/runtime.ts';
import { isSecret } from '../../config/secret-files.ts';
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

export interface ProcessEnvironments {
  api: Record<string, string>;
  worker: Record<string, string>;
}

/** What any program of the caller is started with: where programs and certificates are. */
const ofEveryProgram = /^(PATH|HOME|TMPDIR|LANG|LC_[A-Z]+|TZ|NODE_ENV|NODE_EXTRA_CA_CERTS)$/;
const inherited = [
  ...['LOG_LEVEL', 'MODEL_BASE_URL', 'MODEL_ENDPOINTS', 'PRIVATE_REPOSITORY_HOSTS'],
  ...Object.keys(limitFields),
];
const inheritedByApi = ['PRIVATE_REGISTRIES', 'REGISTRY_REALMS', 'PREVIEW_DOMAIN', 'PRIVATE_EMBEDDING_HOSTS'];
const inheritedByWorker = [
  ...['AUDIT_SYNC', 'PRIVATE_WEBHOOK_HOSTS', 'WORKER_MAX_SESSIONS'],
  ...Object.keys(processFields).flatMap((name) => (isSecret(name) ? [name, `${name}_FILE`] : [name])),
];

/** Pure: the worker never sees the private half of the approval keys, nor the API the public one. */
export function processEnvironments(
  keys: PlatformKeys,
  addresses: EmbeddedAddresses,
  sessionsDirectory: string,
  callers: Record<string, string | undefined>,
): ProcessEnvironments {
  const shared = {
    // Servers of the demo took up to 30 s to start on a busy machine; another may be five times as slow.
    SERVER_HANDSHAKE_SECONDS: '180',
    ...pick(callers, (name) => ofEveryProgram.test(name) || inherited.includes(name)),
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
      ...pick(callers, (name) => inheritedByApi.includes(name)),
      HOST: '127.0.0.1',
      PORT: String(addresses.port),
      ...(addresses.temporalUiUrl === null ? {} : { TEMPORAL_UI_URL: addresses.temporalUiUrl }),
      APPROVAL_PRIVATE_KEY: keys.approval_private_key,
      COOKIE_KEY: keys.cookie_key,
      DEMO_SIGN_IN: 'true',
    },
    worker: {
      ...shared,
      ...pick(callers, (name) => inheritedByWorker.includes(name)),
      APPROVAL_PUBLIC_KEY: keys.approval_public_key,
      INTERNAL_API_URL: `http://127.0.0.1:${addresses.port}`,
      SESSIONS_DIR: sessionsDirectory,
    },
  };
}

function pick(
  from: Record<string, string | undefined>,
  isPicked: (name: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(from).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isPicked(entry[0]),
    ),
  );
}
