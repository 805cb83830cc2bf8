/**
 * Runs inside a container: says as one line of JSON what it sees and what it can do there.
 * `TARGETS` are `host:port`.
 */
const fs = require('node:fs');
const net = require('node:net');
const dgram = require('node:dgram');
const os = require('node:os');

const attempt = (work) => {
  try {
    work();
    return 'done';
  } catch (error) {
    return error.code;
  }
};

/** Everything below a folder that can be listed, links not followed. */
const below = (folder) => {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .flatMap((entry) => [
        `${folder}/${entry.name}`,
        ...(entry.isDirectory() ? below(`${folder}/${entry.name}`) : []),
      ]);
  } catch {
    return [];
  }
};

const connect = (target) =>
  new Promise((resolve) => {
    const [host, port] = target.split(':');
    const socket = net.connect({ host, port: Number(port) });
    const end = (result) => {
      socket.destroy();
      resolve([target, result]);
    };
    socket.setTimeout(3000, () => end('TIMEOUT'));
    socket.on('connect', () => end('connected'));
    socket.on('error', ({ code }) => end(code));
  });

/** Whether there is a way to an address at all; nothing is sent. */
const route = (address) =>
  new Promise((resolve) => {
    const socket = dgram.createSocket('udp4');
    const end = (result) => {
      socket.close();
      resolve([address, result]);
    };
    socket.on('error', ({ code }) => end(code));
    socket.connect(53, address, (error) =>
      end(error === undefined || error === null ? 'routed' : error.code),
    );
  });

const status = fs.readFileSync('/proc/self/status', 'utf8');
const field = (name) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1];

void (async () => {
  const seen = {
    env: process.env,
    uid: process.getuid(),
    groups: process.getgroups(),
    capabilities: [field('CapPrm'), field('CapEff'), field('CapBnd'), field('CapAmb')],
    noNewPrivileges: field('NoNewPrivs'),
    seccomp: field('Seccomp'),
    processes: fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(
        (pid) =>
          attempt(() => fs.readFileSync(`/proc/${pid}/cmdline`)) &&
          fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0],
      ),
    files: below('/run').concat(below('/var/run'), below('/opt/platform')),
    writes: Object.fromEntries(
      [
        '/x',
        '/etc/x',
        '/run/x',
        '/opt/platform/bin/x',
        '/run/platform/x',
        '/run/platform/mcp/x',
        '/run/platform/agent/x',
        '/workspace/x',
        '/tmp/x',
      ].map((path) => [path, attempt(() => fs.writeFileSync(path, 'x'))]),
    ),
    removes: attempt(() => fs.unlinkSync('/run/platform/mcp/platform.sock')),
    fills: attempt(() => fs.writeFileSync('/workspace/large', Buffer.alloc(64 * 1024 * 1024))),
    devices: attempt(() => fs.openSync('/dev/kmsg')),
    interfaces: Object.keys(os.networkInterfaces()),
    connects: Object.fromEntries(
      await Promise.all((process.env.TARGETS ?? '').split(',').filter(Boolean).map(connect)),
    ),
    routes: Object.fromEntries(
      await Promise.all((process.env.ROUTES ?? '').split(',').filter(Boolean).map(route)),
    ),
  };
  process.stdout.write(`SEEN ${JSON.stringify(seen)}\n`);
  setInterval(() => {}, 1000);
})();
