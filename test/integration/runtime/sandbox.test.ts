/** What hostile code sees and reaches from inside, as reported by that code. */

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Runtime } from '../../../runtime/workload.ts';
import type { WorkloadPlan } from '../../../runtime/workload-plan/workload-plan.ts';
import { eventually } from '../../support/eventually.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { findStaticRelay } from '../../support/static-relay.ts';
import { secretsWith } from './driver-under-test.ts';
import { processDriver } from './process-driver.ts';
import { type Reports, takeReports } from './reports.ts';

const driver = processDriver();
const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
const abstractName = `\0platform-test-${process.pid}`;
let reports: Reports;
let runtime: Runtime<WorkloadPlan>;
let tcp: Server;
let abstract: Server;

/** Runs `script` as the agent, with `tell(value)` to report; returns what it reported. */
async function inside(
  script: string,
  options: {
    network?: 'none' | 'internet';
    sessionId?: string;
    servers?: ReturnType<typeof serverNamed>[];
  } = {},
): Promise<Record<string, unknown>> {
  const { network = 'none', sessionId: session_id = randomUUID(), servers = [serverNamed('one')] } = options;
  const prelude = `const fs = require('node:fs'), net = require('node:net'), { spawnSync } = require('node:child_process');
    const attempt = (work) => { try { return work() ?? 'done'; } catch (error) { return error.code ?? error.message; } };
    const connect = (to) => new Promise((resolve) => { const socket = net.connect(to, () => { socket.destroy(); resolve('connected'); })
      .on('error', ({ code }) => resolve(code)); setTimeout(() => resolve('silence'), 1500); });
    const tell = (value) => { console.log('TOLD ' + JSON.stringify(value)); setInterval(() => {}, 1000); };`;
  const run = {
    type: 'command' as const,
    command: 'node',
    args: ['-e', `${prelude}(async () => {${script}})()`],
  };
  const frozen = configuration({ session_id, agent: { run, network }, servers });
  await runtime.start(runtime.render(frozen), secretsWith(session_id, { agentEnv: { MINE: 'yes' } }));
  const log = await told(session_id, 'agent');
  if (options.sessionId === undefined) {
    await runtime.stop(session_id);
  }
  return log;
}

const told = (sessionId: string, container: string) =>
  eventually(async () => {
    const log = await runtime.logs(sessionId, container, 100_000);
    const line = log.split('\n').find((each) => each.startsWith('TOLD '));
    expect({ line, log }).toMatchObject({ line: expect.any(String) });
    return JSON.parse(line?.slice(5) ?? 'null') as Record<string, unknown>;
  });

/** The control: from this machine it can be reached. */
const reach = (to: NetConnectOpts) =>
  new Promise((resolve) => {
    const socket = connect(to, () => {
      socket.destroy();
      resolve('connected');
    });
    socket.once('error', ({ message }) => resolve(message));
  });

const listening = (server: Server, ...where: [string] | [number, string]) =>
  new Promise<void>((resolve) => {
    server.once('listening', () => resolve());
    server.listen(...(where as [number, string]));
  });

describeWith('bwrap')('inside a sandbox', () => {
  beforeAll(async () => {
    writeFileSync(join(elsewhere, 'private'), 'of this machine');
    reports = await takeReports();
    runtime = await driver.open(reports.url);
    tcp = createServer((socket) => socket.end());
    abstract = createServer((socket) => socket.end());
    await listening(tcp, 0, '0.0.0.0');
    await listening(abstract, abstractName);
  });
  afterAll(async () => {
    for (const id of await runtime.list()) {
      await runtime.stop(id);
    }
    tcp.close();
    abstract.close();
    await reports.close();
    driver.remove();
    rmSync(elsewhere, { recursive: true });
  });

  it('the environment holds what was configured, and nothing from this machine', async () => {
    const { names } = await inside('tell({ names: Object.keys(process.env).sort() })');
    expect(names).toEqual([
      'HOME',
      'LANG',
      'MINE',
      'PATH',
      'PIP_NO_INDEX',
      'PLATFORM_CONFIG',
      'PLATFORM_SESSION_ID',
      'PLATFORM_SIDECAR_SOCKET',
      ...['PWD', 'TMPDIR', 'UV_OFFLINE', 'npm_config_offline'],
    ]);
  });

  it('no directory of this machine is visible but the programs', async () => {
    const other = randomUUID();
    await inside('tell({})', { sessionId: other });
    const seen = await inside(`tell({
      root: fs.readdirSync('/').sort(),
      etc: fs.readdirSync('/etc').sort(),
      ssl: attempt(() => fs.readdirSync('/etc/ssl').filter((name) => name === 'private').join()),
      run: fs.readdirSync('/run'),
      tmp: fs.readdirSync('/tmp'),
      platform: fs.readdirSync('/run/platform', { recursive: true }).sort(),
      hidden: ['/usr/etc', '/usr/local/etc'].flatMap((path) => attempt(() => fs.readdirSync(path)) === 'ENOENT' ? [] : fs.readdirSync(path)),
      gone: ${JSON.stringify([
        driver.sessionsDirectory,
        driver.directoryOf(other),
        join(elsewhere, 'private'),
        process.cwd(),
        '/root',
        '/home',
        '/var',
        '/sys',
        '/run/docker.sock',
        '/var/run/docker.sock',
        '/run/containerd/containerd.sock',
        '/run/user',
        '/etc/shadow',
        '/etc/ssl/private',
      ])}.filter((path) => fs.existsSync(path)),
    })`);
    expect(seen).toMatchObject({ ssl: '', run: ['platform'], tmp: [], hidden: [], gone: [] });
    expect(seen['root']).toEqual(
      expect.arrayContaining(['dev', 'etc', 'opt', 'proc', 'run', 'tmp', 'usr', 'workspace']),
    );
    expect(
      (seen['root'] as string[]).filter(
        (name) => !/^(bin|sbin|lib\w*|dev|etc|opt|proc|run|tmp|usr|workspace)$/.test(name),
      ),
    ).toEqual([]);
    expect(seen['etc']).not.toContain('hostname');
    expect(seen['platform']).toEqual([
      'agent',
      'agent/config.json',
      'agent/sidecar.sock',
      'mcp',
      'mcp/one.sock',
      'mcp/platform.sock',
    ]);
  });

  it('there are no capabilities, no root, no user namespaces, and a system call filter', async () => {
    const seen = await inside(`
      const status = Object.fromEntries(fs.readFileSync('/proc/self/status', 'utf8').split('\\n').map((line) => line.split(/:\\s+/)));
      tell({ uid: process.getuid(), gid: process.getgid(), caps: [status.CapEff, status.CapPrm, status.CapInh, status.CapBnd, status.CapAmb],
        noNewPrivs: status.NoNewPrivs, seccomp: status.Seccomp,
        namespace: spawnSync('unshare', ['--user', 'true']).status, mount: spawnSync('mount', ['-t', 'tmpfs', 'none', '/tmp']).status,
        core: fs.readFileSync('/proc/self/limits', 'utf8').match(/core file size +(\\d+)/)[1] })`);
    expect(seen).toMatchObject({ uid: 2000, gid: 2000, noNewPrivs: '1', seccomp: '2', core: '0' });
    expect(new Set(seen['caps'] as string[])).toEqual(new Set(['0000000000000000']));
    expect(seen['namespace']).not.toBe(0);
    expect(seen['mount']).not.toBe(0);
  });

  it('kernel keyrings and sockets past the network namespace do not exist', async () => {
    const seen = await inside(`
      const perl = (script) => spawnSync('perl', ['-e', script], { encoding: 'utf8' }).stdout;
      tell({ keyctl: perl('print syscall(${process.arch === 'arm64' ? 219 : 250}, 0, -3, 0) . " " . ($! + 0)'),
        vsock: perl('print socket(S, 40, 1, 0) ? "made" : $! + 0'), packet: perl('print socket(S, 17, 3, 0) ? "made" : $! + 0'),
        unix: perl('print socket(S, 1, 1, 0) ? "made" : $! + 0'), inet: perl('print socket(S, 2, 1, 0) ? "made" : $! + 0') })`);
    expect(seen).toEqual({ keyctl: '-1 38', vsock: '97', packet: '97', unix: 'made', inet: 'made' });
  });

  it('nothing in /proc shows the key rings of this machine', async () => {
    expect(readFileSync('/proc/keys', 'utf8')).not.toBe('');
    expect(
      await inside(
        `tell(['keys', 'key-users'].map((file) => attempt(() => fs.readFileSync('/proc/' + file, 'utf8'))))`,
      ),
    ).toEqual(['EACCES', 'EACCES']);
  });

  it('only its own processes exist', async () => {
    const seen =
      await inside(`tell({ pids: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length,
      commands: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => fs.readFileSync('/proc/' + pid + '/comm', 'utf8').trim()).sort(),
      bwrap: attempt(() => fs.readFileSync('/proc/1/environ', 'utf8')) })`);
    expect(seen['pids']).toBe(2);
    expect(seen['commands']).toEqual(['bwrap', 'node']);
    expect(String(seen['bwrap'])).not.toMatch(/TOKEN|KEY|SECRET|MINE/);
  });

  it('no descriptor is inherited from outside but that of its log', async () => {
    const session_id = randomUUID();
    // Perl closes nothing by itself; 3 is the directory that it reads.
    const script = `opendir(D, '/proc/self/fd'); print 'TOLD "', join(' ', sort grep { /[0-9]/ } readdir(D)), '"'; print chr(10); close(STDOUT); sleep 60`;
    const run = { type: 'command' as const, command: 'perl', args: ['-e', script] };
    const frozen = configuration({ session_id, agent: { run } });
    await runtime.start(runtime.render(frozen), secretsWith(session_id));
    expect(await told(session_id, 'agent')).toBe('0 1 2 3');
  });

  it('its sockets accept connections and cannot be modified', async () => {
    const seen = await inside(`
      const socket = '/run/platform/mcp/one.sock';
      const listen = await new Promise((resolve) => net.createServer().on('error', ({ code }) => resolve(code)).listen('/run/platform/mcp/mine.sock', () => resolve('listens')));
      tell({ connected: await connect(socket), listen,
        unlink: attempt(() => fs.unlinkSync(socket)), rename: attempt(() => fs.renameSync(socket, socket + '2')),
        link: attempt(() => fs.symlinkSync('/tmp', '/run/platform/mcp/two.sock')), chmod: attempt(() => fs.chmodSync(socket, 0)),
        config: attempt(() => fs.writeFileSync('/run/platform/agent/config.json', '{}')) })`);
    expect(seen).toEqual({
      connected: 'connected',
      listen: 'EROFS',
      unlink: 'EROFS',
      rename: 'EROFS',
      link: 'EROFS',
      chmod: 'EROFS',
      config: 'EROFS',
    });
  });

  it('only its own workspace and /tmp can be written to', async () => {
    const paths = [
      '/x',
      '/etc/x',
      '/usr/x',
      '/opt/x',
      '/run/x',
      '/opt/platform/bin/relay',
      '/proc/sys/kernel/hostname',
    ];
    const seen =
      await inside(`tell({ refused: ${JSON.stringify(paths)}.map((path) => attempt(() => fs.writeFileSync(path, 'x'))),
      workspace: attempt(() => fs.writeFileSync('/workspace/x', 'x')), tmp: attempt(() => fs.writeFileSync('/tmp/x', 'x')), cwd: process.cwd() })`);
    expect(seen).toEqual({
      refused: paths.map(() => 'EROFS'),
      workspace: 'done',
      tmp: 'done',
      cwd: '/workspace',
    });
  });

  it('writes into memory are bounded', async () => {
    const log = await inside(`const fill = (path, mebibytes) => { const piece = Buffer.alloc(1024 * 1024);
        const file = fs.openSync(path, 'w');
        const result = attempt(() => { for (let written = 0; written < mebibytes; written += 1) fs.writeSync(file, piece); return 'all'; });
        const size = fs.fstatSync(file).size; fs.closeSync(file); fs.unlinkSync(path); return [result, size / 1024 / 1024]; };
      tell({ some: fill('/tmp/some', 200), temporary: fill('/tmp/file', 300), shared: fill('/dev/shm/file', 100),
        device: attempt(() => fs.writeFileSync('/dev/file', 'x')) });`);
    expect(log).toEqual({
      some: ['all', 200],
      temporary: ['ENOSPC', 256],
      shared: ['ENOSPC', 64],
      device: 'EROFS',
    });
  });

  it('without a network only its own loopback exists, and no names of this machine', async () => {
    const own = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).map(({ address }) => address),
    );
    const { port } = tcp.address() as { port: number };
    const seen =
      await inside(`tell({ interfaces: fs.readFileSync('/proc/net/dev', 'utf8').split('\\n').slice(2).map((line) => line.split(':')[0].trim()).filter(Boolean),
      hosts: await Promise.all(${JSON.stringify(own)}.map((host) => connect({ host, port: ${port} }))),
      abstract: await connect({ path: ${JSON.stringify(abstractName)} }),
      outside: await connect({ host: '93.184.216.34', port: 80 }) })`);
    expect(await reach({ host: '127.0.0.1', port })).toBe('connected');
    expect(await reach({ path: abstractName })).toBe('connected');
    expect(seen['interfaces']).toEqual(['lo']);
    expect(seen['hosts']).not.toContain('connected');
    expect(seen['abstract']).toBe('ECONNREFUSED');
    expect(seen['outside']).toBe('ENETUNREACH');
  });

  it('a server sees its own socket and no other, its own process id namespace and its own user', async () => {
    const script = `const fs = require('node:fs'); console.error('TOLD ' + JSON.stringify({ uid: process.getuid(),
      platform: fs.readdirSync('/run/platform', { recursive: true }).sort(), workspace: fs.readdirSync('/workspace'),
      pids: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length, names: Object.keys(process.env).sort() })); setInterval(() => {}, 1000);`;
    const shape = { type: 'command' as const, command: 'node', args: ['-e', script] };
    const id = randomUUID();
    // Its first byte starts the server.
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      },
    };
    await inside(
      `fs.writeFileSync('/workspace/of-the-agent', ''); net.connect('/run/platform/mcp/two.sock').write(${JSON.stringify(JSON.stringify(hello))} + '\\n'); tell({})`,
      { sessionId: id, servers: [serverNamed('one'), serverNamed('two', { shape })] },
    );
    expect(await told(id, 'mcp-two')).toEqual({
      uid: 2002,
      platform: ['mcp', 'mcp/.report.sock', 'mcp/two.sock'],
      workspace: [],
      // The relay, the server and, where the relay is the one for Node, the sandbox's first process.
      pids: findStaticRelay() === null ? 3 : 2,
      names: ['HOME', 'LANG', 'PATH', 'PIP_NO_INDEX', 'PWD', 'TMPDIR', 'UV_OFFLINE', 'npm_config_offline'],
    });
  });
});

describeWith('bwrap', 'slirp4netns')('inside a sandbox with the internet', () => {
  beforeAll(async () => {
    reports = await takeReports();
    runtime = await driver.open(reports.url);
    tcp = createServer((socket) => socket.end());
    await listening(tcp, 0, '0.0.0.0');
  });
  afterAll(async () => {
    for (const id of await runtime.list()) {
      await runtime.stop(id);
    }
    tcp.close();
    await reports.close();
    driver.remove();
  });

  it('does not change the mounts of the machine, not even shared ones', async () => {
    const shared = mkdtempSync(join(tmpdir(), 'shared-'));
    const script =
      'mount --bind "$0" "$0" && mount --make-shared "$0" && mkdir "$0/kept" && mount -t tmpfs tmpfs "$0/kept"';
    try {
      execFileSync('sh', ['-c', script, shared]);
      await inside(`tell({ there: true })`, { network: 'internet' });
      expect(readFileSync('/proc/self/mounts', 'utf8')).toContain(` ${shared}/kept `);
    } finally {
      execFileSync('umount', ['--recursive', shared]);
      rmSync(shared, { recursive: true });
    }
  });

  it('a socket bound to the interface, which needs no route, does not reach them either', async () => {
    const { port } = tcp.address() as { port: number };
    const own = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).flatMap(({ address, family }) => (family === 'IPv4' ? [address] : [])),
    );
    const program = `use Socket; my ($host, $port) = @ARGV; $SIG{ALRM} = sub { print 'nothing'; exit };
      socket(my $s, 2, 1, 0) or die; setsockopt($s, 1, 25, 'eth0') or die "not bound: $!"; alarm 5;
      print connect($s, sockaddr_in($port, inet_aton($host))) ? 'connected' : int($!);`;
    const targets = [...own, '10.0.2.2', '169.254.169.254', '192.168.1.1'];
    const seen = await inside(
      `const bound = (host) => new Promise((done) => require('node:child_process').execFile('perl', ['-e', ${JSON.stringify(program)}, host, '${port}'],
         (error, out, err) => done(out || err)));
       tell({ bound: await Promise.all(${JSON.stringify(targets)}.map(bound)) })`,
      { network: 'internet' },
    );
    // Unreachable, refused, or no answer: it was bound, and nothing listened there.
    expect(seen['bound']).toEqual(targets.map(() => expect.stringMatching(/^(101|113|111|nothing)$/)));
  });

  it('there is a route to the internet, and none to this machine, its networks or a metadata service', async () => {
    const { port } = tcp.address() as { port: number };
    const own = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).map(({ address }) => address),
    );
    const blocked = [
      '169.254.169.254',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.1',
      '192.168.1.1',
      '100.64.0.1',
      '100.100.100.200',
    ];
    const seen = await inside(
      `tell({ interfaces: fs.readFileSync('/proc/net/dev', 'utf8').split('\\n').slice(2).map((line) => line.split(':')[0].trim()).filter(Boolean).sort(),
        hosts: await Promise.all(${JSON.stringify(['127.0.0.1', '10.0.2.2', ...own])}.map((host) => connect({ host, port: ${port} }))),
        blocked: await Promise.all(${JSON.stringify(blocked)}.map((host) => connect({ host, port: 80 }))),
        v6: await connect({ host: '2001:4860:4860::8888', port: 53 }),
        outside: await connect({ host: '93.184.216.34', port: 9 }) })`,
      { network: 'internet' },
    );
    expect(seen['interfaces']).toEqual(['eth0', 'lo']);
    expect(seen['hosts']).not.toContain('connected');
    expect(seen['blocked']).toEqual(blocked.map(() => 'EHOSTUNREACH'));
    expect(seen['v6']).toBe('ENETUNREACH');
    // Whatever happens on the way, a route exists here.
    expect(['EHOSTUNREACH', 'ENETUNREACH']).not.toContain(seen['outside']);
  });
});
