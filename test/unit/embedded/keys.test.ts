import { createPrivateKey, createPublicKey } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadOrCreateKeys } from '../../../bin/start/keys.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keys-'));
  file = join(directory, 'keys.json');
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('the keys of an embedded platform', () => {
  it('are created once, stored, and readable by their owner only', () => {
    const keys = loadOrCreateKeys(directory);
    expect(loadOrCreateKeys(directory)).toEqual(keys);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('include a matching approval key pair', () => {
    const keys = loadOrCreateKeys(directory);
    const pem = (text: string) => Buffer.from(text, 'base64').toString();
    const fromPrivate = createPublicKey(createPrivateKey(pem(keys.approval_private_key)));
    expect(fromPrivate.equals(createPublicKey(pem(keys.approval_public_key)))).toBe(true);
    expect(fromPrivate.asymmetricKeyType).toBe('ed25519');
  });

  it('are not recreated beside data that only the old ones decrypt', () => {
    loadOrCreateKeys(directory);
    mkdirSync(join(directory, 'postgres/data'), { recursive: true });
    rmSync(file);
    expect(() => loadOrCreateKeys(directory)).toThrow(/is missing.*backup/);
  });

  it('are refused when others can read the file', () => {
    loadOrCreateKeys(directory);
    chmodSync(file, 0o640);
    expect(() => loadOrCreateKeys(directory)).toThrow(/chmod 600/);
  });

  it('are refused when the file is damaged, without repeating its content', () => {
    const { master_keys } = loadOrCreateKeys(directory);
    const whole = readFileSync(file, 'utf8');
    const damages = [
      whole.slice(0, whole.length / 2),
      '',
      '[]',
      whole.replace('"cookie_key"', '"other_key"'),
      whole.replace(/"session_key_seed": "[^"]*"/, '"session_key_seed": 5'),
    ];
    for (const damage of damages) {
      writeFileSync(file, damage, { mode: 0o600 });
      let message = '';
      try {
        loadOrCreateKeys(directory);
      } catch (error) {
        message = String(error);
      }
      expect(message).toMatch(/keys\.json.*backup/);
      expect(message).not.toContain(master_keys.slice(3, 12));
    }
  });
});
