/**
 * The proxy that the platform itself may use for what an operator configured; nothing that a
 * workspace chose goes through it.
 */
import * as z from 'zod';

/** Host names, by commas, in lower case. */
export const hostList = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter((host) => host !== ''),
  );

export const httpsProxyFields = {
  HTTPS_PROXY: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .describe('proxy to registries of packages and the identity provider; may hold `user:password`'),
  NO_PROXY: hostList.describe('hosts that are reached without it'),
} as const;
