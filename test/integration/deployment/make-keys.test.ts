import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const program = 'scripts/make-keys.mjs';
/**
 * Changing the files' owners to the services' users requires root, which the service
 * `prepare` is in its container.
 */
const describeAsRoot = process.getuid?.() === 0 ? describe : describe.skip;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'make-keys-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const fill = (environment: Record<string, string> = {}) =>
  spawnSync(process.execPath, [program, '--volumes', directory], {
    env: { PATH: process.env['PATH'], ...environment },
    encoding: 'utf8',
  });

function contents(): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(directory.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

describe('the keys for .env and for a Kubernetes Secret', () => {
  it('are new each time, one in a line', () => {
    const print = () => execFileSync(process.execPath, [program], { encoding: 'utf8' });
    const names = [...print().matchAll(/^(\w+)=\S{40,}$/gm)].map(([, name]) => name);
    expect(names).toEqual([
      'MASTER_KEYS',
      'SESSION_KEY_SEED',
      'COOKIE_KEY',
      'APPROVAL_PRIVATE_KEY',
      'APPROVAL_PUBLIC_KEY',
    ]);
    expect(print()).not.toBe(print());
  });
});

describeAsRoot('the keys in volumes', () => {
  it('are created once, readable by their users only', () => {
    expect(fill()).toMatchObject({ status: 0, stdout: expect.stringContaining('Back up') });
    const made = contents();
    expect(fill()).toMatchObject({ status: 0, stdout: '' });
    expect(contents()).toEqual(made);
    for (const file of Object.keys(made)) {
      const { mode, uid, gid } = statSync(join(directory, file));
      expect({ file, mode: mode & 0o777, gid }).toEqual({ file, mode: 0o440, gid: 0 });
      expect(uid).toBe(file.startsWith('postgres/') ? 999 : 10_100);
      expect(statSync(join(directory, file, '..')).mode & 0o007).toBe(0);
    }
    expect(made['database/url']).toContain(made['postgres/password']);
  });

  it('can be printed as a backup, for .env', () => {
    fill();
    const printed = execFileSync(process.execPath, [program, '--print', directory], { encoding: 'utf8' });
    const { 'postgres/password': password, 'shared/master_keys': masterKeys } = contents();
    expect(printed).toContain(`POSTGRES_PASSWORD=${password}\n`);
    expect(printed).toContain(`MASTER_KEYS=${masterKeys}\n`);
    expect(printed.trim().split('\n')).toHaveLength(6);
  });

  it('accept any chosen password', () => {
    fill({ POSTGRES_PASSWORD: 'a/b@c:d' });
    const { password } = new URL(contents()['database/url'] ?? '');
    expect(decodeURIComponent(password)).toBe('a/b@c:d');
  });

  it('are never recreated beside a database that they would not decrypt', () => {
    mkdirSync(join(directory, 'postgres-data/18'), { recursive: true });
    expect(fill()).toMatchObject({ status: 1, stderr: expect.stringContaining('keys are missing') });
    expect(contents()).toEqual({});
  });
});
