import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  entryName,
  envName,
  referencedSecretName,
  secretName,
  secretReference,
  toolScope,
  workspaceSlug,
} from '../../../contract/names.ts';

const accepts = (schema: { safeParse(text: string): { success: boolean } }) => (text: string) =>
  schema.safeParse(text).success;

describe('a secret name', () => {
  it('is accepted exactly when it has the form of the specification', () => {
    const form = /^[A-Z_][A-Z0-9_]{0,63}$/;
    fc.assert(fc.property(fc.stringMatching(form), accepts(secretName)));
    fc.assert(
      fc.property(
        fc.string(),
        (text) => accepts(secretName)(text) === (form.test(text) && !text.endsWith('\n')),
      ),
    );
  });

  it.each(['', 'a', '1A', 'A-B', 'A B', 'Ä', 'A\n', `A${'B'.repeat(64)}`])('is not %j', (text) => {
    expect(accepts(secretName)(text)).toBe(false);
  });

  it('has 64 characters at most', () => {
    expect(accepts(secretName)('A'.repeat(64))).toBe(true);
  });
});

describe('a bare reference', () => {
  it('names its secret', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,63}$/), (name) => {
        expect(referencedSecretName(`\${${name}}`)).toBe(name);
      }),
    );
  });

  it('has no text around it and no second reference', () => {
    const around = fc.string({ minLength: 1, maxLength: 5 });
    fc.assert(fc.property(around, (text) => !accepts(secretReference)(`\${TOKEN}${text}`)));
    fc.assert(fc.property(around, (text) => !accepts(secretReference)(`${text}\${TOKEN}`)));
    for (const wrong of [
      '${A}${B}',
      '${a}',
      '${}',
      '$TOKEN',
      '${TOKEN',
      '{TOKEN}',
      '${TOKEN}\n',
      '$${TOKEN}',
    ]) {
      expect(referencedSecretName(wrong)).toBeNull();
    }
  });
});

describe('a tool scope', () => {
  it.each(['files.write', 'a.b', 'mail.send.all'])('is %s', (text) => {
    expect(accepts(toolScope)(text)).toBe(true);
  });

  it.each([
    'files',
    'files.',
    '.write',
    'files..write',
    'Files.write',
    'files.write2',
    'files.*',
    'files.write\n',
    '',
  ])('is not %j', (text) => {
    expect(accepts(toolScope)(text)).toBe(false);
  });

  it('has the form of the specification whatever is typed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => !accepts(toolScope)(text) || /^[a-z]+(\.[a-z]+)+$/.test(text)),
    );
  });
});

describe('a catalog entry name', () => {
  it('is usable as a key, a tool prefix and a socket name', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        const safe =
          /^[a-z0-9-]+$/.test(text) && !/^-|-$/.test(text) && text.length <= 32 && text !== 'platform';
        return accepts(entryName)(text) === safe;
      }),
    );
  });

  it('is never that of the built-in server', () => {
    expect(accepts(entryName)('platform')).toBe(false);
    expect(accepts(entryName)('platform2')).toBe(true);
  });

  it.each(['../x', 'a/b', 'a.b', '-a', 'a-', 'A', 'a_b', 'x'.repeat(33), 'a\n'])('is not %j', (text) => {
    expect(accepts(entryName)(text)).toBe(false);
  });
});

it('a slug and a variable name have no surprises in them', () => {
  for (const text of ['', '-a', 'a-', 'A', 'a/b', 'a\n', 'x'.repeat(41)]) {
    expect(accepts(workspaceSlug)(text)).toBe(false);
  }
  for (const text of ['', '1A', 'A=B', 'A B', 'A\0', 'A\n']) {
    expect(accepts(envName)(text)).toBe(false);
  }
});
