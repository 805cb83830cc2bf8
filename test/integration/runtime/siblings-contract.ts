/** How every driver runs siblings: reached by their agent alone, waited for, and bounded when they fail. */
import { expect, it } from '@jest/globals';
import type { FrozenSibling } from '../../../contract/session.ts';
import { processReport } from '../../../contract/session-process.ts';
import { siblingReport } from '../../../contract/sidecar.ts';
import { UnsupportedWorkloadError } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { type ContractSessions, containerIn, node, stays } from './driver-under-test.ts';

const port = 5432;
/** Speaks first, as many databases do, and repeats what it is told. */
const serves = (greeting: string, afterMs = 0) => `
setTimeout(() => require('node:net').createServer((socket) => {
  socket.on('error', () => {}).write(${JSON.stringify(`${greeting}\n`)});
  socket.on('data', (chunk) => socket.write(chunk));
}).listen(${port}, '127.0.0.1', () => console.log('serves')), ${afterMs});`;

const siblingNamed = (name: string, script: string, changes: Partial<FrozenSibling> = {}): FrozenSibling => ({
  ...{ name, run: node(script).run, env: {}, image: null },
  ...changes,
});
const whenListening = { type: 'port' as const, timeout_seconds: 60 };

/**
 * For an agent: tells what it hears first at a socket or an address, and with \`again\`
 * until that is something.
 */
const hears = `const net = require('node:net');
const hear = (to) => new Promise((resolve) => {
  const socket = net.connect(to).setTimeout(5000, () => settle('silence')).on('error', ({ code }) => settle(code));
  const settle = (what) => { socket.destroy(); resolve(what); };
  socket.once('data', (chunk) => settle(String(chunk).trim())).once('end', () => settle('end'));
});
const again = async (to) => { let heard; do { heard = await hear(to); } while (/^(end|E[A-Z]+)$/.test(heard)); return heard; };
const at = (address) => ({ host: address.split(':')[0], port: Number(address.split(':')[1]) });
const tell = (what) => console.log('TOLD ' + JSON.stringify(what));
`;

export function describeSiblings<Spec>(sessions: ContractSessions<Spec>): void {
  const { driver, runtime, reports, prepare, start, logged } = sessions;

  if (!driver.siblings) {
    it('refuses siblings, which would share the network of others', () => {
      const frozen = prepare({ siblings: [siblingNamed('db', stays)] });
      expect(() => runtime().render(frozen)).toThrow(UnsupportedWorkloadError);
      expect(() => runtime().render(frozen)).toThrow(/^siblings need a sandbox/);
    });
    return;
  }

  const told = async (id: string, container = 'agent'): Promise<unknown> => {
    const log = await logged(id, container, 'TOLD ');
    return JSON.parse(/^TOLD (.*)$/m.exec(log)?.[1] ?? 'null');
  };
  const notReady = (id: string) =>
    eventually(() => {
      const [report] = reports().of(id, 'sibling-not-ready');
      return siblingReport.parse(report?.body);
    });
  const stateOf = (id: string, name: string) =>
    reports()
      .of(id, 'processes')
      .map(({ body }) => processReport.parse(body))
      .filter((report) => report.name === name)
      .at(-1)?.state;

  it('reaches each sibling by its own socket, and on its own loopback where the agent has one', async () => {
    const asks = `${hears} const { env } = process;
      Promise.all([again(env.SIBLING_ONE_SOCKET), again(env.SIBLING_TWO_SOCKET)]).then(async (sockets) => {
        const addresses = [env.SIBLING_ONE_ADDRESS, env.SIBLING_TWO_ADDRESS].filter(Boolean);
        tell({ sockets, addresses: await Promise.all(addresses.map((each) => hear(at(each)))) });
      }); ${stays}`;
    const two = serves('two').replace(String(port), String(port + 1));
    const id = await start(
      prepare({
        agent: node(asks),
        siblings: [
          siblingNamed('one', serves('one'), { port }),
          siblingNamed('two', two, { port: port + 1 }),
        ],
      }),
    );
    expect(await told(id)).toEqual({
      sockets: ['one', 'two'],
      addresses: driver.hasOwnNetworks ? ['one', 'two'] : [],
    });
  });

  it('starts the agent when its siblings are ready, by a port or by a command beside them', async () => {
    const asks = `${hears} hear(process.env.SIBLING_DB_SOCKET).then(tell); ${stays}`;
    const makes = `setTimeout(() => require('node:fs').writeFileSync('/tmp/up', ''), 2000); ${stays}`;
    const looks = ['-e', `process.exit(require('node:fs').existsSync('/tmp/up') ? 0 : 1)`];
    const id = await start(
      prepare({
        agent: node(asks),
        siblings: [
          siblingNamed('db', serves('ready', 2000), { port, ready: whenListening }),
          siblingNamed('other', makes, {
            ready: { type: 'command', command: 'node', args: looks, timeout_seconds: 60 },
          }),
        ],
      }),
    );
    expect(reports().of(id, 'ready')).toEqual([]);
    expect(await told(id)).toBe('ready');
    await eventually(() => expect(reports().of(id, 'ready')).toHaveLength(1));
    await eventually(() => expect([stateOf(id, 'db'), stateOf(id, 'other')]).toEqual(['ready', 'ready']));
    expect(reports().of(id, 'sibling-not-ready')).toEqual([]);
  });

  it('tells the platform of one that is never ready, of which the agent was not started', async () => {
    const id = await start(
      prepare({
        agent: node(`console.log('the agent runs'); ${stays}`),
        siblings: [
          siblingNamed('db', stays, { port, ready: { ...whenListening, timeout_seconds: 2 } }),
          siblingNamed('fine', serves('fine').replace(String(port), String(port + 1)), {
            port: port + 1,
            ready: whenListening,
          }),
        ],
      }),
    );
    expect(await notReady(id)).toEqual({ name: 'db', failure: { type: 'not_in_time' } });
    expect(await runtime().logs(id, 'agent', 1000)).not.toContain('the agent runs');
    expect(reports().of(id, 'ready')).toEqual([]);
    await runtime().stop(id);
    expect(await driver.running(id)).toEqual([]);
  });

  it.each([
    ['ends', 'process.exit(3)', { type: 'ended', exit_code: 3, signal: null }],
    [
      'is killed',
      `process.kill(process.pid, 'SIGKILL')`,
      { type: 'ended', exit_code: null, signal: 'SIGKILL' },
    ],
  ])('tells how one ended that %s before it was ready', async (_, script, failure) => {
    const siblings = [siblingNamed('db', script, { port, ready: whenListening })];
    const id = await start(prepare({ siblings }));
    expect(await notReady(id)).toEqual({ name: 'db', failure });
  });

  it('tells that the program of one was not found', async () => {
    const run = { type: 'command' as const, command: 'no-such-program', args: [] };
    const siblings = [{ ...siblingNamed('db', ''), run, port, ready: whenListening }];
    const id = await start(prepare({ siblings }));
    expect(await notReady(id)).toEqual({ name: 'db', failure: { type: 'not_started' } });
  });

  it('ends a sibling alone that takes all memory, and the session goes on', async () => {
    const greedy = `const all = []; setTimeout(() => { while (true) all.push(Buffer.alloc(16 * 1024 * 1024, 1)); }, 500);`;
    const id = await start(prepare({ siblings: [siblingNamed('db', greedy, { port })] }));
    await eventually(() => expect(stateOf(id, 'db')).toBe('ended'));
    for (const name of ['agent', 'sidecar']) {
      expect(containerIn(await runtime().inspect(id), name)).toMatchObject({ state: 'running' });
    }
  });

  it('gives a hostile sibling no socket but its own two, where it claims nothing for another and its flood ends nothing', async () => {
    const floods = `${hears} const fs = require('node:fs');
      const own = '/run/platform-report/';
      const claim = net.connect(own + '.report.sock', () => claim.write('{"type":"ready"}\\n'.repeat(20)));
      claim.on('error', () => {});
      for (let at = 0; at < 200; at += 1) net.connect(own + '.agent.sock').on('error', () => {}).end('nonsense');
      const look = () => fs.readdirSync('/run/platform-report').sort();
      // It may have been started before the sidecar listens.
      const both = async () => { while (look().length < 2) await new Promise((resolve) => setTimeout(resolve, 100)); };
      const outside = ['/run/platform', '/run/platform-session'].filter((path) => fs.existsSync(path));
      hear({ host: '127.0.0.1', port: ${port} }).then(async (peer) => { await both(); tell({ sees: look(), outside, peer }); }); ${stays}`;
    const asks = `${hears} hear(process.env.SIBLING_DB_SOCKET).then(tell); ${stays}`;
    const id = await start(
      prepare({
        agent: node(asks),
        siblings: [
          siblingNamed('hostile', floods, { port: port + 1 }),
          siblingNamed('db', serves('still here', 3000), { port, ready: whenListening }),
        ],
      }),
    );
    const seen = await told(id, 'sibling-hostile');
    expect(seen).toMatchObject({ sees: ['.agent.sock', '.report.sock'], outside: [] });
    expect(seen).not.toMatchObject({ peer: 'still here' });
    expect(await told(id)).toBe('still here');
  });

  it('shows an MCP server neither the sockets nor the ports of siblings, and another session none of both', async () => {
    const asks = `${hears} again(process.env.SIBLING_DB_SOCKET).then(tell); ${stays}`;
    const id = await start(
      prepare({ agent: node(asks), siblings: [siblingNamed('db', serves('of the first'), { port })] }),
    );
    expect(await told(id)).toBe('of the first');
    const looks = `${hears} const fs = require('node:fs');
      hear({ host: '127.0.0.1', port: ${port} }).then((peer) =>
        console.error('TOLD ' + JSON.stringify({ peer, siblings: fs.existsSync('/run/platform/siblings/db.sock') }))); ${stays}`;
    const speaks = `const config = JSON.parse(require('node:fs').readFileSync(process.env.PLATFORM_CONFIG, 'utf8'));
      require('node:net').connect(config.mcpServers.one.args.at(-1).replace('UNIX-CONNECT:', '')).on('error', () => {})
        .write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\\n');
      ${looks}`;
    const shape = { type: 'command' as const, command: 'node', args: ['-e', looks] };
    const other = await start(
      prepare({
        agent: node(speaks),
        servers: [serverNamed('one', { shape })],
        siblings: [siblingNamed('unreached', serves('of the second'))],
      }),
    );
    for (const container of ['agent', 'mcp-one']) {
      const seen = await told(other, container);
      expect(seen).toMatchObject({ siblings: false });
      expect(JSON.stringify(seen)).not.toMatch(/of the (first|second)/);
    }
  });
}
