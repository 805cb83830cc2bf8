import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ImageError } from '../../../../lib/oci/errors.ts';
import { formatReference, parseReference } from '../../../../lib/oci/reference.ts';
import { checkProperty } from '../../../support/property.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('an image reference', () => {
  it.each([
    ['node', 'docker.io/library/node:latest'],
    ['node:22', 'docker.io/library/node:22'],
    ['team/server', 'docker.io/team/server:latest'],
    ['docker.io/node', 'docker.io/library/node:latest'],
    ['index.docker.io/team/server:1', 'docker.io/team/server:1'],
    ['localhost/server', 'localhost/server:latest'],
    ['Registry/server', 'registry/server:latest'],
    ['registry.test:5000/a/b__c/d-e.f:V_1.2-x', 'registry.test:5000/a/b__c/d-e.f:V_1.2-x'],
    [`ghcr.io/team/server@${digest}`, `ghcr.io/team/server@${digest}`],
    [`ghcr.io/team/server:1@${digest}`, `ghcr.io/team/server:1@${digest}`],
    ['localhost:5000', 'docker.io/library/localhost:5000'],
  ])('%s is %s', (text, full) => {
    expect(formatReference(parseReference(text))).toBe(full);
  });

  it.each([
    ['', 'repository'],
    ['Node', 'repository'],
    ['a//b', 'repository'],
    ['a/', 'repository'],
    ['registry.test/', 'repository'],
    ['registry.test/a..b', 'repository'],
    ['registry.test/../etc', 'repository'],
    ['registry.test/a b', 'repository'],
    ['https://registry.test/a', 'host name'],
    ['registry.test:0/a', 'host name'],
    ['registry.test:65536/a', 'host name'],
    ['-registry.test/a', 'host name'],
    ['user@registry.test/a', 'digest'],
    ['[::1]:5000/a', 'host name'],
    ['node:', 'tag'],
    ['node:.x', 'tag'],
    [`node:${'x'.repeat(129)}`, 'tag'],
    ['node@', 'digest'],
    ['node@sha256:abc', 'digest'],
    [`node@sha512:${'0'.repeat(128)}`, 'digest'],
    [`node@${digest.toUpperCase()}`, 'digest'],
    [`registry.test/${'a'.repeat(256)}`, 'repository'],
  ])('%s is refused for its %s', (text, part) => {
    expect(() => parseReference(text)).toThrow(ImageError);
    expect(() => parseReference(text)).toThrow(new RegExp(`^".*" is not an image reference: .*${part}`));
  });

  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
  const host = fc.tuple(label, label, fc.option(fc.integer({ min: 1, max: 65535 })));
  const path = fc.array(fc.stringMatching(/^[a-z0-9]{1,8}((\.|_|__|-{1,3})[a-z0-9]{1,8}){0,2}$/), {
    minLength: 1,
    maxLength: 4,
  });

  it('is parsed into the parts that it was built from, and its full form is parsed to the same', () => {
    const tag = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/);
    checkProperty(
      fc.property(host, path, fc.option(tag), fc.boolean(), ([first, second, port], parts, tag, pinned) => {
        const reference = {
          registry: `${first}.${second}${port === null ? '' : `:${port}`}`,
          repository: parts.join('/'),
          tag: tag ?? (pinned ? null : 'latest'),
          digest: pinned ? digest : null,
        };
        expect(parseReference(formatReference(reference))).toEqual(reference);
      }),
    );
  });

  it('is parsed or refused, never misread: an accepted one cannot leave its path', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'aZ0.:/@_-%?#[]\\ \n'), maxLength: 40 });
    checkProperty(
      fc.property(noise, (text) => {
        try {
          const { registry, repository, tag } = parseReference(text);
          const url = new URL(`https://${registry}/v2/${repository}/manifests/${tag}`);
          expect(url.pathname).toBe(`/v2/${repository}/manifests/${tag}`);
          expect(url.username + url.search + url.hash).toBe('');
        } catch (error) {
          // A host such as 1.2.3.4.5 or 0x.0 is a name by our rule and no host for a URL:
          // it is never connected to.
          expect(String(error)).toMatch(/is not an image reference|Invalid URL/);
        }
      }),
      { runs: 2000 },
    );
  });
});
