/**
 * For a container without a network: package managers fail at once, and say so, instead of trying for a minute. What is configured
 * wins over it.
 */
export const offlinePackages = {
  npm_config_offline: 'true',
  UV_OFFLINE: '1',
  PIP_NO_INDEX: '1',
} as const;
