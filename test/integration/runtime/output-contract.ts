/** How processes' output and exits are handled, the same on every runtime. */
import { expect, it } from '@jest/globals';
import { type ProcessReport, processReport } from '../../../contract/session-process.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { type ContractSessions, node, secretVariable, speaksToServers, stays } from './driver-under-test.ts';

const secret = 'key-of-the-"vault" & more';
const writesItsSecret = `const key = process.env.KEY;
  process.stderr.write('a ' + key + ' b ' + encodeURIComponent(key) + ' c ' + JSON.stringify(key) + ' d '
    + Buffer.from(key).toString('hex') + ' e ' + Buffer.from(key).toString('base64') + ' plain ' + process.env.PLAIN + '\\n');`;

export function describeOutput<Spec>(sessions: ContractSessions<Spec>): void {
  const { driver, prepare, start, runtime, reports } = sessions;

  const lastOf = (sessionId: string, name: string): ProcessReport | undefined =>
    reports()
      .of(sessionId, 'processes')
      .map(({ body }) => processReport.parse(body))
      .findLast((each) => each.name === name);
  const outputOf = (sessionId: string, name: string): string =>
    reports()
      .of(sessionId, 'processes')
      .map(({ body }) => processReport.parse(body))
      .filter((each) => each.name === name)
      .reduce(
        (last, { output }) => (output === undefined ? last : Buffer.from(output.base64, 'base64').toString()),
        '',
      );

  it('reports how a server ended, and its output without its secrets, which are in no log either', async () => {
    const shape = {
      type: 'command' as const,
      command: 'node',
      args: ['-e', `${writesItsSecret} process.stdin.once('data', () => process.exit(3))`],
    };
    const env = { ...secretVariable('KEY'), PLAIN: { kind: 'value' as const, value: 'of-the-server' } };
    const id = await start(
      prepare({
        agent: node(`${speaksToServers} ${stays}`),
        servers: [serverNamed('leaky', { shape, env })],
      }),
      { serverEnv: { leaky: { KEY: secret, PLAIN: 'of-the-server' } } },
    );
    await eventually(() =>
      expect(lastOf(id, 'leaky')).toMatchObject({
        kind: 'server',
        state: 'failed',
        cause: 'exited',
        exit_code: 3,
      }),
    );
    await eventually(() => expect(outputOf(id, 'leaky')).toContain('plain of-the-server'));
    const expected = /a \[secret\] b \[secret\] c "\[secret\]" d \[secret\] e \[secret\]/;
    expect(outputOf(id, 'leaky')).toMatch(expected);
    const log = await runtime().logs(id, 'mcp-leaky', 100_000);
    expect(log).toMatch(expected);
    expect(log).not.toContain(secret);
  });

  it('reports a server that is not a program, without any output of its container', async () => {
    const shape = { type: 'command' as const, command: '/no/such/program', args: [] };
    const id = await start(
      prepare({ agent: node(`${speaksToServers} ${stays}`), servers: [serverNamed('missing', { shape })] }),
    );
    await eventually(() =>
      expect(lastOf(id, 'missing')).toMatchObject({ state: 'failed', cause: 'program_not_found' }),
    );
  });

  it('fails the first request of a server that does not start, with its cause, long before a client gives up', async () => {
    const programs = {
      absent: { command: '/no/such/program', args: [] },
      ends: { command: 'sh', args: ['-c', 'echo no words of a server >&2; exit 9'] },
      killed: { command: 'sh', args: ['-c', 'kill -KILL $$'] },
      silent: { command: 'sleep', args: ['1000'] },
    };
    const servers = Object.entries(programs).map(([name, program]) =>
      serverNamed(name, { shape: { type: 'command', ...program }, start_seconds: 15 }),
    );
    const prints = `const began = Date.now(); for (const answer of answers) {
      answer.then((line) => console.log('ANSWER ' + (Date.now() - began) + ' ' + line.trim())); } ${stays}`;
    const id = await start(prepare({ agent: node(`${speaksToServers} ${prints}`), servers }));
    const log = await eventually(async () => {
      const text = await runtime().logs(id, 'agent', 100_000);
      expect(text.match(/^ANSWER/gm)).toHaveLength(1 + servers.length);
      return text;
    });
    const answers = [...log.matchAll(/^ANSWER (\d+) (.*)$/gm)].map(([, ms = '', line = '']) => ({
      ms: Number(ms),
      data: JSON.parse(line).error?.data,
    }));
    const causes = {
      absent: 'program_not_found',
      ends: 'exited',
      killed: 'exited',
      silent: 'handshake_timeout',
    };
    for (const [server, cause] of Object.entries(causes)) {
      const answer = answers.find(({ data }) => data?.server === server);
      expect(answer?.data).toMatchObject({ code: 'server_unavailable', cause });
      // Clients give up after a minute.
      expect(answer?.ms).toBeLessThan(50_000);
    }
    expect(log).not.toContain('no words of a server');
    for (const [server, cause] of Object.entries(causes)) {
      await eventually(() => expect(lastOf(id, server)).toMatchObject({ state: 'failed', cause }));
    }
    await eventually(() => expect(lastOf(id, 'ends')).toMatchObject({ exit_code: 9, signal: null }));
    await eventually(() =>
      expect(lastOf(id, 'killed')).toMatchObject({ exit_code: null, signal: 'SIGKILL' }),
    );
    await eventually(() => expect(outputOf(id, 'ends')).toContain('no words of a server'));
    expect(JSON.stringify(reports().of(id, 'events'))).not.toContain('no words of a server');
  });

  it('reports how the agent ended, and its output without its secrets', async () => {
    const id = await start(
      prepare({
        agent: { ...node(`${writesItsSecret} process.exitCode = 4;`), env: secretVariable('KEY') },
      }),
      { agentEnv: { KEY: secret } },
    );
    await eventually(() =>
      expect(lastOf(id, 'agent')).toMatchObject({ kind: 'agent', state: 'ended', exit_code: 4, starts: 1 }),
    );
    await eventually(() => expect(outputOf(id, 'agent')).toContain('a [secret] b'));
    expect(await runtime().logs(id, 'agent', 100_000)).not.toContain(secret);
  });

  if (driver.siblings) {
    it('reports the same for a sibling', async () => {
      const peer = {
        name: 'peer',
        run: node(`${writesItsSecret} process.kill(process.pid, 'SIGKILL');`).run,
      };
      const siblings = [{ ...peer, env: secretVariable('KEY'), image: null }];
      const id = await start(prepare({ siblings }), { siblingEnv: { peer: { KEY: secret } } });
      await eventually(() =>
        expect(lastOf(id, 'peer')).toMatchObject({ kind: 'sibling', state: 'ended', signal: 'SIGKILL' }),
      );
      await eventually(() => expect(outputOf(id, 'peer')).toContain('a [secret] b'));
      expect(await runtime().logs(id, 'sibling-peer', 100_000)).not.toContain(secret);
    });
  }
}
