import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  clashingPath,
  folderAddress,
  maxPreviewPathLength,
  normalizePreviewPath,
  requestedFile,
} from '../../../contract/preview-path.ts';
import { checkProperty } from '../../support/property.ts';

describe('a path of a preview', () => {
  it.each([
    ['index.html'],
    ['assets/app.v2-min_(1).js'],
    ['a/b/c/d/e.txt'],
    ['noextension'],
    ['ein Name mit Leerzeichen.html'],
    ['größe/日本.png'],
    ['[slug]/~page+1;2,3=4&5@6!.html'],
    ['console.js'],
    ['com/lpt.txt'],
    ['x'.repeat(maxPreviewPathLength)],
  ])('may be %s', (path) => {
    expect(normalizePreviewPath(path)).toEqual({ path, problem: null });
  });

  it('is stored composed', () => {
    expect(normalizePreviewPath('cafe\u0301.html')).toEqual({ path: 'caf\u00e9.html', problem: null });
  });

  it.each([
    ['nothing', '', /empty/],
    ['too much', 'x'.repeat(maxPreviewPathLength + 1), /characters at most/],
    ['an absolute path', '/etc/passwd', /relative/],
    ['another host', '//host/a', /relative/],
    ['a folder above', '../a', /"\.\."/],
    ['a folder above, further in', 'a/../../b', /"\.\."/],
    ['the folder itself', './a', /"\."/],
    ['nothing but dots', '..', /"\.\."/],
    ['three dots', '.../a', /dot/],
    ['a hidden file', '.htaccess', /begins with a dot/],
    ['a certificate authority’s challenge', '.well-known/acme-challenge/x', /begins with a dot/],
    ['a backslash', 'a\\b', /backslash/],
    ['a folder above, for Windows', '..\\a', /backslash/],
    ['a drive', 'c:/a', /drive letter/],
    ['a drive without a slash', 'C:a', /drive letter/],
    ['another stream of a file', 'a.html:b', /any of/],
    ['a percent sign', '%2e%2e/a', /any of/],
    ['a query', 'a?b', /any of/],
    ['a fragment', 'a#b', /any of/],
    ['an empty part', 'a//b', /empty part/],
    ['a slash at its end', 'a/', /empty part/],
    ['NUL', 'a\0.html', /control/],
    ['a line break', 'a\nb', /control/],
    ['a tab', 'a\tb', /control/],
    ['a DEL', 'a\u007fb', /control/],
    ['reversed text', 'a\u202egnp.exe', /invisible/],
    ['a zero-width space', 'a\u200bb', /invisible/],
    ['a line separator', 'a\u2028b', /invisible/],
    ['half a surrogate pair', 'a\ud800', /Unicode/],
    ['a space at the end of a part', 'a /b', /space/],
    ['a space at the beginning', ' a', /space/],
    ['a dot at the end', 'a./b', /dot/],
    ['a device', 'con', /device/],
    ['a device in capitals with an extension', 'a/CON.html', /device/],
    ['a port', 'com1', /device/],
    ['a port with a superscript digit', 'lpt\u00b9.txt', /device/],
    ['full-width dots', '\uff0e\uff0e/a', /"\.\."/],
    ['a full-width slash at the beginning', '\uff0fa', /relative/],
    ['full-width letters of a device', '\uff43\uff4f\uff4e', /device/],
    ['a full-width percent sign', '\uff05\u0032e', /any of/],
    ['a two-dot leader', '\u2025/a', /"\.\."/],
  ])('is not %s', (_what, path, problem) => {
    expect(normalizePreviewPath(path)).toEqual({ path: null, problem: expect.stringMatching(problem) });
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        '.',
        '..',
        '/',
        '\\',
        '%2e',
        '%2f',
        '%5c',
        '%00',
        'a',
        'B',
        'con',
        ':',
        '\u0301',
        '\uff0e',
        ' ',
      ),
      {
        maxLength: 12,
      },
    )
    .map((parts) => parts.join('')),
);

it('a normalized path stays what it is, and no URL parser leads it elsewhere', () => {
  checkProperty(
    fc.property(anyText, (text) => {
      const { path } = normalizePreviewPath(text);
      if (path === null) {
        return;
      }
      expect(normalizePreviewPath(path).path).toBe(path);
      const url = new URL(path.split('/').map(encodeURIComponent).join('/'), 'http://host/base/');
      expect(url.host).toBe('host');
      expect(decodeURIComponent(url.pathname)).toBe(`/base/${path}`);
      expect(requestedFile(decodeURIComponent(url.pathname).slice('/base'.length))?.path).toBe(path);
      expect(requestedFile(url.pathname.slice('/base'.length))?.path).toBe(path);
    }),
    { runs: 500 },
  );
});

it('a request names a file by a normalized path, or none', () => {
  checkProperty(
    fc.property(anyText, (text) => {
      const found = requestedFile(`/${text}`);
      if (found !== null) {
        expect(normalizePreviewPath(found.path.replace(/\/?index\.html$/, '') || 'x').path).not.toBeNull();
        expect(found.path).not.toMatch(/^\/|(^|\/)\.|\\|%/);
      }
    }),
    { runs: 500 },
  );
});

describe('paths of one preview', () => {
  it.each([
    ['different ones', ['a', 'b', 'c/a', 'c/b'], null],
    ['the same one', ['a', 'b', 'a'], 2],
    ['the same in another case', ['Index.html', 'index.HTML'], 1],
    ['the same in another form of its characters', ['\ufb01.txt', 'fi.txt'], 1],
    ['a letter that has two capitals', ['stra\u00dfe', 'STRASSE'], 1],
    ['a file where a folder is', ['a/b', 'a'], 1],
    ['a folder where a file is', ['a', 'b', 'a/b'], 2],
    ['a folder where a file is, in another case', ['a', 'A/b/c'], 1],
  ])('are %s', (_what, paths, index) => {
    expect(clashingPath(paths)?.index ?? null).toBe(index);
  });
});

describe('the file that a request names', () => {
  it.each([
    ['/', 'index.html', null],
    ['/a.html', 'a.html', 'a.html/index.html'],
    ['/a/', 'a/index.html', null],
    ['/a/b', 'a/b', 'a/b/index.html'],
    ['/gr%C3%B6%C3%9Fe', 'größe', 'größe/index.html'],
    ['/a%20b', 'a b', 'a b/index.html'],
    ['/cafe%CC%81', 'caf\u00e9', 'caf\u00e9/index.html'],
    // A slash is one however it is written: there is no file system behind it.
    ['/a%2Fb', 'a/b', 'a/b/index.html'],
  ])('%s', (address, path, indexPath) => {
    expect(requestedFile(address)).toEqual({ path, indexPath });
  });

  it.each([
    ['//'],
    ['//host/a'],
    ['/a//b'],
    ['/../a'],
    ['/%2e%2e/a'],
    ['/%252e%252e/a'],
    ['/a%5c..%5cb'],
    ['/a%00.html'],
    ['/%'],
    ['/%C3'],
    ['/.git/config'],
    ['a'],
    [''],
  ])('is none for %s', (address) => {
    expect(requestedFile(address)).toBeNull();
  });

  it('has the address of its folder', () => {
    expect(folderAddress('a b/ö/index.html')).toBe('/a%20b/%C3%B6/');
    expect(folderAddress('index.html')).toBe('/');
  });
});
