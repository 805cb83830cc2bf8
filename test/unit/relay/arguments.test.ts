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
  ).toEqual({
    mode: 'run',
    dialed: { socketPath: '/g.sock', port: 8080, isAnnounced: false },
    listens: [],
    ready: null,
    reportPath: null,
    command: 'serve',
    args: ['--port', '1'],
  });
  const listens = ['--listen', '7071=/run/m.sock', '--listen', '5432=/run/db=1.sock'];
  expect(
    parseRelayArguments([
      ...['run', '--dial', '/d.sock', '--port', '5432', ...listens, '--report-end', '/r.sock'],
      ...['--ready-argument', 'pg_isready', '--ready-argument', '--', '--', 'postgres'],
    ]),
  ).toEqual({
    mode: 'run',
    dialed: { socketPath: '/d.sock', port: 5432, isAnnounced: true },
    listens: [
      { port: 7071, socketPath: '/run/m.sock' },
      { port: 5432, socketPath: '/run/db=1.sock' },
    ],
    ready: { type: 'command', command: 'pg_isready', args: ['--'] },
    reportPath: '/r.sock',
    command: 'postgres',
    args: [],
  });
  expect(parseRelayArguments(['run', '--ready-port', '5432', '--', 'postgres'])).toMatchObject({
    ready: { type: 'port', port: 5432 },
  });
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
  [['run', '--']],
  [['run', '--gateway', '/g.sock', '--', 'serve']],
  [['run', '--gateway', '/g.sock', '--port', '0', '--', 'serve']],
  [['run', '--gateway', '/g.sock', '--port', '65536', '--', 'serve']],
  [['run', '--gateway', '/g.sock', '--port', '8080', '--']],
  [['run', '--port', '8080', '--', 'serve']],
  [['run', '--listen', '/m.sock', '--', 'serve']],
  [['run', '--listen', '70000=/m.sock', '--', 'serve']],
  [['run', '--listen', '--', 'serve']],
  [['run', '--alone', 'yes', '--', 'serve']],
])('refuses %j and reports what it expected', (given) => {
  expect(() => parseRelayArguments(given)).toThrow(/^expected: relay /);
});
