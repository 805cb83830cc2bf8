import { expect, it } from '@jest/globals';
import { parseUrl } from '../../../../lib/outbound/parse-url.ts';

it('reads a URL, alone or from where it stands', () => {
  expect(parseUrl('https://server.test/a')?.href).toBe('https://server.test/a');
  expect(parseUrl('../b', new URL('https://server.test/a/c'))?.href).toBe('https://server.test/b');
  expect(parseUrl('//other.test', new URL('https://server.test/'))?.href).toBe('https://other.test/');
  expect([parseUrl(''), parseUrl('/a'), parseUrl('https://')]).toEqual([null, null, null]);
});

it('finds none in a text beyond ASCII, however often it is asked', () => {
  // As Node passes a header on whose bytes are UTF-8.
  const location = Buffer.from('https://１０。０。０。１/').toString('latin1');
  for (let asked = 0; asked < 20_000; asked += 1) {
    if (parseUrl(location) !== null) {
      throw new Error(`it found one the ${asked}th time`);
    }
  }
});
