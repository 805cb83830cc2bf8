/**
 * Run in a network of its own: makes it that of a Pod that has IPv6 alone, with a neighbour, listens for the
 * platform there, and prints who was answered.
 */
import { execFileSync, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { listenForPlatform } from '../../../../sidecar/control/listen-for-platform.ts';
import { untilFound } from '../../../support/eventually.ts';

const run = (...command: string[]) => execFileSync(command[0] ?? '', command.slice(1), { encoding: 'utf8' });
const networkOf = (pid: number | 'self') => readlinkSync(`/proc/${pid}/ns/net`);

const neighbour = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] });
const pid = neighbour.pid ?? 0;
await untilFound('its network', async () => (networkOf(pid) === networkOf('self') ? null : true));
const inNeighbour = ['nsenter', '--target', String(pid), '--net'];
run('ip', 'link', 'set', 'lo', 'up');
run('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
for (const { within, address } of [
  { within: [], address: 'fd00::9/64' },
  { within: inNeighbour, address: 'fd00::a/64' },
]) {
  run(...within, 'ip', 'link', 'set', 'eth0', 'up');
  run(...within, 'ip', '-6', 'addr', 'add', address, 'dev', 'eth0', 'nodad');
}

const server = createServer((_request, response) => response.end('answered'));
// An interface counts once its other side is there, too.
const url = await untilFound('an address', () => listenForPlatform(server, '0.0.0.0', 0).catch(() => null));
const { port } = new URL(url);

function askFromHere(host: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), host, () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    socket.on('data', () => resolve('answered'));
    socket.on('error', () => resolve('refused'));
    socket.on('close', () => resolve('refused'));
  });
}

function askFromNeighbour(): Promise<string> {
  const ask =
    'fetch(process.argv[1]).then((answer) => answer.text()).then(console.log, () => console.log("refused"))';
  const [command = '', ...args] = [...inNeighbour, process.execPath, '-e', ask, url];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve) => child.once('close', () => resolve(said.trim())));
}

const linkLocal = await untilFound('the address of the link', async () => {
  const shown = run('ip', '-6', '-o', 'addr', 'show', 'dev', 'eth0', 'scope', 'link');
  return shown.includes('tentative') ? null : (/inet6 ([^/]+)\//.exec(shown)?.[1] ?? null);
});
const report = {
  host: new URL(url).hostname,
  neighbour: await askFromNeighbour(),
  own: await Promise.all(['fd00::9', '::1', '127.0.0.1', `${linkLocal}%eth0`].map(askFromHere)),
};
neighbour.kill();
process.stdout.write(JSON.stringify(report), () => process.exit(0));
