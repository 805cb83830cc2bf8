/** Prints a new set of keys as lines for `.env` (docker-compose.yml). Make them once: stored secrets open with these only. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';

const key = () => randomBytes(32).toString('base64');
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const oneLine = (pem) => Buffer.from(pem).toString('base64');

const lines = {
  POSTGRES_PASSWORD: randomBytes(24).toString('base64url'),
  MASTER_KEYS: `k1:${key()}`,
  SESSION_KEY_SEED: key(),
  COOKIE_KEY: key(),
  APPROVAL_PRIVATE_KEY: oneLine(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  APPROVAL_PUBLIC_KEY: oneLine(publicKey.export({ type: 'spki', format: 'pem' })),
};
for (const [name, value] of Object.entries(lines)) {
  console.log(`${name}=${value}`);
}
