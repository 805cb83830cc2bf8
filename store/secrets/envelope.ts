/**
 * Envelope encryption of secret values: AES-256-GCM, one data key per value, sealed by a master key.
 * Both layers are bound to workspace and name, so a ciphertext moved to another row cannot be decrypted.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The first seals, all of them open; `id` is stored beside what it sealed. */
export type MasterKeys = readonly { id: string; key: Buffer }[];

/** Identifies the secret: the associated data of both layers. */
export interface SecretIdentity {
  workspaceId: string;
  name: string;
}

/** What is stored. Each of the two is nonce (12 bytes), tag (16 bytes), ciphertext. */
export interface SealedSecret {
  sealedValue: Buffer;
  sealedDataKey: Buffer;
  keyId: string;
}

/**
 * A stored value that cannot be decrypted: a wrong or missing master key, or modified
 * bytes. Never holds a value.
 */
export class UnreadableSecretError extends Error {
  override name = 'UnreadableSecretError';
}

const nonceBytes = 12;
const tagBytes = 16;

/** Seals with the first master key. Throws when there is none. */
export function seal(keys: MasterKeys, identity: SecretIdentity, plaintext: Buffer): SealedSecret {
  const [master] = keys;
  if (master === undefined) {
    throw new UnreadableSecretError('MASTER_KEYS holds no key');
  }
  const dataKey = randomBytes(32);
  try {
    return {
      sealedValue: encrypt(dataKey, associatedData('value', identity), plaintext),
      sealedDataKey: encrypt(master.key, associatedData(`data-key/${master.id}`, identity), dataKey),
      keyId: master.id,
    };
  } finally {
    dataKey.fill(0);
  }
}

/** Opens with whichever master key sealed it. Throws UnreadableSecretError. */
export function open(keys: MasterKeys, identity: SecretIdentity, sealed: SealedSecret): Buffer {
  const master = keys.find(({ id }) => id === sealed.keyId);
  if (master === undefined) {
    throw new UnreadableSecretError(
      `MASTER_KEYS has no key "${sealed.keyId}", which sealed the secret ${identity.name}`,
    );
  }
  try {
    const dataKey = decrypt(
      master.key,
      associatedData(`data-key/${master.id}`, identity),
      sealed.sealedDataKey,
    );
    try {
      return decrypt(dataKey, associatedData('value', identity), sealed.sealedValue);
    } finally {
      dataKey.fill(0);
    }
  } catch {
    throw new UnreadableSecretError(
      `the secret ${identity.name} does not open with the key "${master.id}" of MASTER_KEYS`,
    );
  }
}

/** The same for a text; the bytes that it was read from are erased. */
export function openText(keys: MasterKeys, identity: SecretIdentity, sealed: SealedSecret): string {
  const plaintext = open(keys, identity, sealed);
  try {
    return plaintext.toString('utf8');
  } finally {
    plaintext.fill(0);
  }
}

/** JSON separates the parts unambiguously, whatever characters they hold. */
function associatedData(layer: string, { workspaceId, name }: SecretIdentity): Buffer {
  return Buffer.from(JSON.stringify([layer, workspaceId, name]));
}

function encrypt(key: Buffer, aad: Buffer, plaintext: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(aad);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

function decrypt(key: Buffer, aad: Buffer, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(aad).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
