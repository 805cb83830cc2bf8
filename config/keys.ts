/** Keys that processes share. Each has one purpose; none is ever logged. */
import * as z from 'zod';
import { key32 } from './parse.ts';

/** `id:base64[,id:base64...]`: the first key seals, all of them open. */
export const masterKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map((pair) => {
    const [id = '', encoded = ''] = pair.trim().split(':');
    return { id, key: Buffer.from(encoded, 'base64') };
  });
  if (keys.some(({ id, key }) => !/^[A-Za-z0-9_-]{1,32}$/.test(id) || key.length !== 32)) {
    context.addIssue({
      code: 'custom',
      message: 'must be `id:key` pairs separated by commas, each key 32 bytes in base64',
    });
    return z.NEVER;
  }
  return keys;
});
export type MasterKeys = z.infer<typeof masterKeys>;

/** Derives each session's internal token and control key. */
export const sessionKeySeed = key32;

/** The API's alone: PKCS#8 PEM of an Ed25519 private key, base64 encoded to fit one line. */
export const approvalPrivateKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64').toString('utf8'));
/** What the worker verifies approvals with: SPKI PEM, base64 encoded. */
export const approvalPublicKey = approvalPrivateKey;
