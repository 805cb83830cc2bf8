/**
 * For a container without a network: package managers fail fast with a clear message instead of retrying for a minute. Configured
 * values take precedence.
 */
export const offlinePackages = {
  npm_config_offline: 'true',
  UV_OFFLINE: '1',
  PIP_NO_INDEX: '1',
} as const;
