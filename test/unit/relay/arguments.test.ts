import { expect, it } from '@jest/globals';
import { parseRelayArguments } from '../../../relay/node/arguments.ts';

it('accepts the two addresses in the notation of socat', () => {
  expect(parseRelayArguments(['-', 'UNIX-CONNECT:/run/platform/mcp/files.sock'])).toEqual({
    mode: 'agent',
    socketPath: '/run/platform/mcp/files.sock',
  });
  expect(parseRelayArguments(['UNIX-CONNECT:/x.sock', '--', 'server', '--flag', '-'])).toEqual({
    mode: 'server',
    reportPath: null,
    socketPath: '/x.sock',
    command: 'server',
    args: ['--flag', '-'],
    isAlone: false,
  });
  expect(parseRelayArguments(['--alone', 'UNIX-CONNECT:/x.sock', '--', 'server'])).toMatchObject({
    command: 'server',
    isAlone: true,
  });
  expect(parseRelayArguments(['--report', '/r.sock', 'UNIX-CONNECT:/x.sock', '--', 'server'])).toEqual({
    mode: 'server',
    reportPath: '/r.sock',
    socketPath: '/x.sock',
    command: 'server',
    args: [],
    isAlone: false,
  });
  expect(
    parseRelayArguments(['run', '--gateway', '/g.sock', '--port', '8080', '--', 'serve', '--port', '1']),
  ).toEqual({ mode: 'service', gatewayPath: '/g.sock', port: 8080, command: 'serve', args: ['--port', '1'] });
  expect(parseRelayArguments(['--help'])).toEqual({ mode: 'help' });
});

it.each([
  [[]],
  [['-']],
  [['-', '/x.sock']],
  [['-', 'UNIX-CONNECT:/x', 'more']],
  [['UNIX-CONNECT:/x', 'server']],
  [['UNIX-CONNECT:/x', '--']],
  [['--alone']],
  [['--report', '/r.sock', '-', 'UNIX-CONNECT:/x']],
  [['--report']],
  [['run']],
  [['run', '--gateway', '/g.sock', '--', 'serve']],
  [['run', '--gateway', '/g.sock', '--port', '0', '--', 'serve']],
  [['run', '--gateway', '/g.sock', '--port', '65536', '--', 'serve']],
  [['run', '--gateway', '/g.sock', '--port', '8080', '--']],
])('refuses %j and reports what it expected', (given) => {
  expect(() => parseRelayArguments(given)).toThrow(/^expected: relay /);
});
