import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { attachmentProblems, referencedSecrets } from '../../../contract/attachment-validation.ts';
import { manifest } from '../../../contract/catalog.ts';
import { manifestProblems } from '../../../contract/manifest-validation.ts';
import { runPattern } from '../../../contract/run-pattern.mjs';
import { bestRatio } from '../../support/loop-hold.ts';
import { checkProperty } from '../../support/property.ts';

const secretOnly = manifest.parse({ env: { TOKEN: { kind: 'secret', label: 't', required: true } } });
const secrets = new Map([['API', { is_set: true, allowed_servers: null }]]);
const codes = (env: Record<string, string>, of = secretOnly) =>
  attachmentProblems({ name: 'files', manifest: of, env, secrets, judge: runPattern }).map(
    ({ path, code }) => `${path} ${code}`,
  );

describe('a secret field', () => {
  it('accepts a bare reference to a secret that is set', () => {
    expect(codes({ TOKEN: '${API}' })).toEqual([]);
    expect(referencedSecrets(secretOnly, { TOKEN: '${API}' })).toEqual(['API']);
  });

  it('accepts nothing else: a reference with text around it is never one', () => {
    const around = fc.string({ minLength: 1 });
    checkProperty(
      fc.property(around, fc.constantFrom('before', 'after', 'both'), (text, where) => {
        const value = [where === 'after' ? '' : text, '${API}', where === 'before' ? '' : text].join('');
        expect(codes({ TOKEN: value })).toEqual(['env.TOKEN not_a_reference']);
      }),
    );
    for (const value of ['$API', '${api}', '${API', '${API}\n', '${API}${API}', '${}', 'plain', ' ']) {
      expect(codes({ TOKEN: value })).toEqual(['env.TOKEN not_a_reference']);
    }
  });
});

describe('a value field', () => {
  const fields = manifest.parse({
    env: {
      CODE: { kind: 'value', label: 'c', regex: 'ab|a' },
      MODE: { kind: 'value', label: 'm', required: true, default: 'safe', enum: ['safe', 'fast'] },
    },
  });

  it('must match its regex as a whole, with every alternative', () => {
    for (const good of ['a', 'ab', '']) {
      expect(codes({ CODE: good }, fields)).toEqual([]);
    }
    for (const bad of ['abc', 'xa', 'a\n', 'b']) {
      expect(codes({ CODE: bad }, fields)).toEqual(['env.CODE regex_mismatch']);
    }
  });

  it('may be omitted when there is a default, and may look like a reference, which is not resolved', () => {
    expect(codes({}, fields)).toEqual([]);
    const free = manifest.parse({ env: { TEXT: { kind: 'value', label: 't' } } });
    expect(codes({ TEXT: '${API}' }, free)).toEqual([]);
    expect(referencedSecrets(free, { TEXT: '${API}' })).toEqual([]);
  });

  it('takes linear time for a regex that is slow elsewhere', async () => {
    const slow = manifest.parse({ env: { X: { kind: 'value', label: 'x', regex: '(a+)+b' } } });
    const checked = (length: number) => () =>
      expect(codes({ X: 'a'.repeat(length) }, slow)).toEqual(['env.X regex_mismatch']);
    const ratio = await bestRatio({
      subject: checked(20_000),
      control: checked(2000),
      of: 'processor',
      below: 30,
    });
    // Squared, it would be a hundred.
    expect(ratio).toBeLessThan(30);
  });

  it('is checked after every reference, so that only the first failing step reports', () => {
    const both = manifest.parse({ env: { ...secretOnly.env, ...fields.env } });
    expect(codes({ TOKEN: '', CODE: 'z', MODE: 'z' }, both)).toEqual(['env.TOKEN required']);
    expect(codes({ TOKEN: '${GONE}', CODE: 'z' }, both)).toEqual(['env.TOKEN secret_not_set']);
    expect(codes({ TOKEN: '${API}', CODE: 'z', MODE: 'z' }, both)).toEqual([
      'env.CODE regex_mismatch',
      'env.MODE not_in_enum',
    ]);
  });
});

describe('a manifest', () => {
  it.each(['(', '(?=a)', '(a)\\1', 'a{1001}'])('with the regex %s is refused', (regex) => {
    const wrong = manifest.parse({ env: { X: { kind: 'value', label: 'x', regex } } });
    expect(manifestProblems(wrong, runPattern)).toMatchObject([
      { path: 'manifest.env.X.regex', code: 'invalid_regex' },
    ]);
  });
});
