import { describe, expect, it } from '@jest/globals';
import { parseBridgeArguments } from '../../../../relay/remote/arguments.ts';
import { composeHeaders } from '../../../../relay/remote/static-headers.ts';

const config = { url: 'https://x.test/mcp', headers: [], private_hosts: {}, token_socket: null };
const withUrl = (url: string) => [JSON.stringify({ ...config, url })];

describe('the argument of the bridge', () => {
  it('is the configuration', () => {
    expect(parseBridgeArguments([JSON.stringify(config)])).toEqual({ mode: 'run', config });
    expect(parseBridgeArguments(['--help'])).toEqual({ mode: 'help' });
    expect(parseBridgeArguments(['-h'])).toEqual({ mode: 'help' });
  });

  it.each([
    [[], /^expected one argument/],
    [['{}', '{}'], /^expected one argument/],
    [['url'], /is not JSON/],
    [['[]'], /not valid: it: /],
    [[JSON.stringify({ ...config, token: 'x' })], /not valid: token: unknown field "token"/],
    [[JSON.stringify({ ...config, private_hosts: { x: 'ftp' } })], /not valid: private_hosts.x: /],
    [withUrl('x'), /not valid: url: /],
    [withUrl('ftp://x.test/'), /address of the web/],
    [withUrl('https://ada@x.test/'), /without a user name/],
    [withUrl('https://:secret@x.test/'), /without a user name/],
  ])('%j is refused in one line', (given, message) => {
    const parse = () => parseBridgeArguments(given);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow(/\n|secret/);
  });
});

describe('the headers of a static credential', () => {
  const header = (name: string, variable: string, prefix = '') => ({ name, variable, prefix });

  it('are the prefix and the value of each variable that is set', () => {
    const headers = [
      header('X-Key', 'A'),
      header('Authorization', 'B', 'Bearer '),
      header('X-No', 'C'),
      header('X-Empty', 'D', 'p'),
    ];
    expect(composeHeaders(headers, { A: 'a', B: 'b c', D: '' })).toEqual({
      headers: { 'x-key': 'a', authorization: 'Bearer b c' },
      secrets: ['a', 'b c'],
    });
  });

  it.each(['secret\n', 'secret\r\nx: y', 'sécret', 'secret\0', '\x7fsecret'])(
    'name the variable of %j, not its value',
    (value) => {
      const compose = () => composeHeaders([header('X-Key', 'A_KEY')], { A_KEY: value });
      expect(compose).toThrow(/^the variable A_KEY holds characters that no header may have/);
      expect(compose).not.toThrow(/s.cret/);
    },
  );
});
