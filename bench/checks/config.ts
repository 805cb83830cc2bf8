import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type ApiConfig, apiConfig } from '../../config/api.ts';

const many = '1000000000';

/**
 * The API's configuration, with limits that the bench does not come near. `seed`: of the
 * sessions' keys, in base64.
 */
export function configOf(databaseUrl: string, seed: string): ApiConfig {
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const key = () => randomBytes(32).toString('base64');
  const config = apiConfig.parse({
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: 'unused',
    MASTER_KEYS: `first:${key()}`,
    SESSION_KEY_SEED: seed,
    APPROVAL_PRIVATE_KEY: Buffer.from(privateKey).toString('base64'),
    COOKIE_KEY: key(),
    DEMO_SIGN_IN: 'true',
    RATE_SESSION_CALLS_PER_MINUTE: many,
    LIMIT_SESSION_CALLS: many,
  });
  return { ...config, RATE_SESSION_BYTES_PER_MINUTE: Number(many) };
}
