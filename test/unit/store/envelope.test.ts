import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { open, seal, UnreadableSecretError } from '../../../store/secrets/envelope.ts';
import { checkProperty } from '../../support/property.ts';

const master = (id: string) => ({ id, key: randomBytes(32) });
const identity = { workspaceId: '7d1c1f0e-0000-4000-8000-000000000001', name: 'API_TOKEN' };

describe('the envelope of a secret', () => {
  it('opens to what was sealed, whatever the bytes', () => {
    const keys = [master('a')];
    checkProperty(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 2000 }), (bytes) => {
        const value = Buffer.from(bytes);
        expect(open(keys, identity, seal(keys, identity, value)).equals(value)).toBe(true);
      }),
    );
  });

  it('never seals the same value to the same bytes', () => {
    const keys = [master('a')];
    const [one, two] = [seal(keys, identity, Buffer.from('x')), seal(keys, identity, Buffer.from('x'))];
    expect(one.sealedValue.equals(two.sealedValue)).toBe(false);
    expect(one.sealedDataKey.equals(two.sealedDataKey)).toBe(false);
  });

  it('does not open in another workspace, under another name, or with any bit changed', () => {
    const keys = [master('a')];
    const sealed = seal(keys, identity, Buffer.from('value'));
    expect(() => open(keys, { ...identity, name: 'OTHER' }, sealed)).toThrow(UnreadableSecretError);
    expect(() => open(keys, { ...identity, workspaceId: 'other' }, sealed)).toThrow(UnreadableSecretError);
    for (const part of ['sealedValue', 'sealedDataKey'] as const) {
      for (let at = 0; at < sealed[part].length; at += 1) {
        const changed = Buffer.from(sealed[part]);
        changed[at] = (changed[at] ?? 0) ^ 1;
        expect(() => open(keys, identity, { ...sealed, [part]: changed })).toThrow(UnreadableSecretError);
      }
      expect(() => open(keys, identity, { ...sealed, [part]: sealed[part].subarray(0, 20) })).toThrow(
        UnreadableSecretError,
      );
    }
  });

  it('seals with the first key and opens with the one that sealed it', () => {
    const [old, young] = [master('old'), master('young')];
    const before = seal([old], identity, Buffer.from('x'));
    const after = seal([young, old], identity, Buffer.from('y'));
    expect(after.keyId).toBe('young');
    expect(open([young, old], identity, before).toString()).toBe('x');
    expect(() => open([young], identity, before)).toThrow('MASTER_KEYS has no key "old"');
  });

  it('names the variable when a key with the right id is the wrong key', () => {
    const sealed = seal([master('a')], identity, Buffer.from('hidden'));
    expect(() => open([master('a')], identity, sealed)).toThrow(/API_TOKEN does not open .* of MASTER_KEYS/);
  });
});
