/** What the API and the worker both read. */
import * as z from 'zod';
import { masterKeys, sessionKeySeed } from './keys.ts';
import { limitFields } from './limits.ts';
import { databaseUrl, logLevel } from './parse.ts';
import { privateHosts } from './private-hosts.ts';
import { registryRealms } from './registries.ts';
import { temporalFields } from './temporal.ts';

export const sharedFields = {
  DATABASE_URL: databaseUrl.describe('Postgres of the platform; `npm start` brings one where none is named'),
  ...temporalFields,
  MASTER_KEYS: masterKeys.describe(
    '`id:key` pairs by commas: the first key seals secrets, all of them open; 32 bytes in base64 each',
  ),
  SESSION_KEY_SEED: sessionKeySeed.describe(
    '32 bytes in base64; tokens and keys of sessions are derived from it',
  ),
  PRIVATE_REGISTRIES: privateHosts.describe(
    'image registries that may have a private address, never a metadata service',
  ),
  REGISTRY_REALMS: registryRealms.describe(
    "`registry=host` pairs: token servers that a registry's credentials may be sent to",
  ),
  PRIVATE_MCP_HOSTS: privateHosts.describe(
    'remote MCP servers, and their authorization servers, that may have a private address',
  ),
  NODE_ENV: z.string().optional().describe('production refuses what is for demos and development'),
  LOG_LEVEL: logLevel.describe('debug, info, warn or error'),
  ...limitFields,
} as const;
