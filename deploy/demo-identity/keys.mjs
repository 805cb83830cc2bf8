import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * The provider's signing key and cookie key, created when the file is missing, so
 * that they survive a restart.
 */
export function loadOrMakeKeys(file) {
  if (existsSync(file)) {
    return JSON.parse(readFileSync(file, 'utf8'));
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' };
  const keys = { jwks: { keys: [jwk] }, cookieKey: randomBytes(32).toString('base64') };
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(keys), { mode: 0o600, flag: 'wx' });
  renameSync(unfinished, file);
  return keys;
}
