/**
 * The keys of an embedded platform: created at the first start, stored in DATA_DIR/keys.json with mode 0600.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf, StartError } from './start-error.ts';

const platformKeys = z.strictObject({
  master_keys: z.string(),
  session_key_seed: z.string(),
  cookie_key: z.string(),
  approval_private_key: z.string(),
  approval_public_key: z.string(),
  postgres_password: z.string(),
});
export type PlatformKeys = z.infer<typeof platformKeys>;

/**
 * Reads the keys, or creates them when there is no data yet. Throws StartError when the file is
 * damaged, readable by others, or missing beside data that only these keys open. The message never
 * repeats what the file holds.
 */
export function loadOrCreateKeys(directory: string): PlatformKeys {
  const file = join(directory, 'keys.json');
  if (existsSync(file)) {
    return readKeys(file);
  }
  if (existsSync(join(directory, 'postgres', 'data'))) {
    throw new StartError(
      `${file} is missing, but ${directory} holds a database whose secrets only these keys open. ` +
        'Put the file back from a backup, or move the directory away to start from scratch.',
    );
  }
  const keys = createKeys();
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(unfinished, file);
  return keys;
}

function readKeys(file: string): PlatformKeys {
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new StartError(`${file} holds keys and is open to other users. Run: chmod 600 ${file}`);
  }
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // A syntax error quotes the text around it; a system error names the file only.
    const why = messageOf(error).includes('JSON') ? 'it is not valid JSON' : messageOf(error);
    throw new StartError(`${file} cannot be read (${why}). Put it back from a backup.`);
  }
  const parsed = platformKeys.safeParse(content);
  if (!parsed.success) {
    const names = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole file');
    throw new StartError(`${file} is damaged (${names.join(', ')}). Put it back from a backup.`);
  }
  return parsed.data;
}

function createKeys(): PlatformKeys {
  const random = () => randomBytes(32).toString('base64');
  const approval = generateKeyPairSync('ed25519');
  const oneLine = (pem: string | Buffer) => Buffer.from(pem).toString('base64');
  return {
    master_keys: `k1:${random()}`,
    session_key_seed: random(),
    cookie_key: random(),
    approval_private_key: oneLine(approval.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    approval_public_key: oneLine(approval.publicKey.export({ type: 'spki', format: 'pem' })),
    postgres_password: randomBytes(24).toString('base64url'),
  };
}
