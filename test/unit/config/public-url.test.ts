import { describe, expect, it } from '@jest/globals';
import { originIn, publicUrl } from '../../../config/public-url.ts';

describe('PUBLIC_URL', () => {
  it.each([
    ['https://agents.example.com', 'https://agents.example.com'],
    ['https://agents.example.com/', 'https://agents.example.com'],
    ['https://agents.example.com:443', 'https://agents.example.com'],
    ['https://agents.example.com:0443/', 'https://agents.example.com'],
    ['HTTPS://Agents.Example.COM.:443/', 'https://agents.example.com'],
    ['https://agents.example.com.', 'https://agents.example.com'],
    ['http://agents.example.com:80', 'http://agents.example.com'],
    ['http://agents.example.com:443', 'http://agents.example.com:443'],
    ['https://agents.example.com:8443', 'https://agents.example.com:8443'],
    ['http://[2001:DB8:0::1]:80', 'http://[2001:db8::1]'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ])('%s is %s', (text, origin) => {
    expect(publicUrl.parse(text)).toBe(origin);
  });

  it.each([
    'agents.example.com',
    'https://agents.example.com/app',
    'https://agents.example.com?a=b',
    'https://agents.example.com/#a',
    'https://user@agents.example.com',
    'https://agents.example.com\\app',
    'https://agents .example.com',
    'https://:443',
    'https://.',
    'ftp://agents.example.com',
    'null',
    '',
  ])('is refused as %s', (text) => {
    expect(originIn(text)).toBeNull();
    expect(publicUrl.safeParse(text).error?.issues[0]?.message).toBe(
      'must be an address such as https://agents.example.com, without a path',
    );
  });
});
