import { describe, expect, it } from '@jest/globals';
import { withSecretFiles } from '../../../config/secret-files.ts';

const files: Record<string, string> = { '/keys/master': 'k1:secret\n', '/keys/cookie': 'cookie' };
const read = (path: string) => {
  const content = files[path];
  if (content === undefined) {
    throw new Error(`ENOENT ${path}`);
  }
  return content;
};

describe('secrets as files', () => {
  it('reads a secret from the file that its variable names, without the line end', () => {
    expect(withSecretFiles({ MASTER_KEYS_FILE: '/keys/master', PORT: '1' }, read)).toEqual({
      MASTER_KEYS_FILE: '/keys/master',
      MASTER_KEYS: 'k1:secret',
      PORT: '1',
    });
  });

  it('prefers a value that is set directly, and treats an empty one as absent', () => {
    const both = { MASTER_KEYS: 'own', MASTER_KEYS_FILE: '/keys/none' };
    expect(withSecretFiles(both, read)['MASTER_KEYS']).toBe('own');
    const empty = { COOKIE_KEY: '', COOKIE_KEY_FILE: '/keys/cookie' };
    expect(withSecretFiles(empty, read)['COOKIE_KEY']).toBe('cookie');
    expect(withSecretFiles({ COOKIE_KEY_FILE: '' }, read)).not.toHaveProperty('COOKIE_KEY');
  });

  it('names every unreadable file, and reads only secrets from files', () => {
    const wrong = { MASTER_KEYS_FILE: '/keys/a', COOKIE_KEY_FILE: '/keys/b' };
    expect(() => withSecretFiles(wrong, read)).toThrow(
      /MASTER_KEYS_FILE: \/keys\/a[\s\S]*COOKIE_KEY_FILE: \/keys\/b/,
    );
    expect(withSecretFiles({ HOST_FILE: '/keys/cookie' }, read)).not.toHaveProperty('HOST');
  });
});
