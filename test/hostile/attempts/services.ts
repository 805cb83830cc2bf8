/**
 * What a service of a preview tries, as programs that it runs in its sandbox, and as answers that it gives.
 */
import type { Kit } from '../inside/kit.ts';
import type { Target } from './attempt.ts';

/**
 * Names in its environment, and every text that it can read there and where the platform mounts something.
 */
export const readEverything = (kit: Kit): { names: string[]; mounted: string[]; texts: string[] } => {
  const { fs } = kit;
  const under = (path: string): string[] => {
    try {
      return fs.readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
    } catch {
      return [];
    }
  };
  const mounted = under('/run/platform');
  const paths = [
    ...mounted.map((path) => `/run/platform/${path}`),
    ...fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`]),
  ];
  const texts = paths.map((path) => String(kit.read(path)));
  return { names: Object.keys(process.env).sort(), mounted, texts };
};

/**
 * Ports of the platform, of its gateway, and of the session and of another service, on the machine’s
 * loopback address and its others.
 */
export const connectToPorts = async (kit: Kit, { ports, addresses }: Target): Promise<string[]> => {
  const hosts = ['127.0.0.1', ...addresses];
  const all = hosts.flatMap((host) => Object.values(ports).map((port) => kit.connect({ host, port })));
  return [...new Set(await Promise.all(all))];
};

/** The control of that: its own port. */
export const connectToItself = (kit: Kit): Promise<string> =>
  kit.connect({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) });

/** By their places on the machine, and by those that they would have in its own sandbox. */
export const connectToSockets = (
  kit: Kit,
  _target: unknown,
  directories: readonly string[],
): Promise<string[]> => {
  const within = [
    'agent/agent/sidecar.sock',
    'agent/agent/service.sock',
    'agent/mcp/platform.sock',
    'agent/mcp/files.sock',
  ];
  const paths = [
    ...directories.flatMap((directory) => within.map((path) => `${directory}/${path}`)),
    '/run/platform/agent/sidecar.sock',
    '/run/platform/mcp/platform.sock',
    '/run/platform/mcp/files.sock',
  ];
  return Promise.all(paths.map((path) => kit.connect({ path })));
};

export const replaceSocket = async (kit: Kit): Promise<unknown[]> => {
  const { fs, attempt } = kit;
  const socket = '/run/platform/agent/service.sock';
  return [
    await kit.listen('/run/platform/agent/other.sock'),
    attempt(() => fs.symlinkSync('/tmp', '/run/platform/agent/link.sock')),
    attempt(() => fs.renameSync(socket, '/run/platform/agent/moved.sock')),
    attempt(() => fs.rmSync(socket)),
    attempt(() => fs.chmodSync(socket, 0o777)),
  ];
};

/** Connects in the place of its relay, as often as it can, and says what no relay says. */
export const crowdGateway = async (kit: Kit): Promise<number> => {
  let open = 0;
  const sockets = Array.from({ length: 300 }, () => {
    const socket = kit.net.connect({ path: '/run/platform/agent/service.sock' }, () => {
      open += 1;
      socket.write('HTTP/1.1 200 OK\r\nset-cookie: a=b\r\ncontent-length: 6\r\n\r\nforged');
    });
    socket.on('error', () => undefined);
    return socket.resume();
  });
  await kit.sleep(3000);
  for (const socket of sockets) {
    socket.destroy();
  }
  return open;
};

/** Writes to its log without end for a while, and keeps a processor busy. */
export const printALot = async (kit: Kit, _target: unknown, { seconds }: { seconds: number }) => {
  const line = 'x'.repeat(65_535);
  const endsAt = Date.now() + seconds * 1000;
  let lines = 0;
  while (Date.now() < endsAt) {
    process.stdout.write(`${line}\n`);
    lines += 1;
    await kit.sleep(0);
  }
  return lines;
};

/** Processes that ignore being asked to end, in sessions of their own. */
export const stayForever = (kit: Kit, _target: unknown, mark: string): number => {
  const program = `process.on('SIGTERM', () => 0); setInterval(() => 0, 1000); // ${mark}`;
  const started = Array.from({ length: 5 }, () =>
    kit.childProcess.spawn('node', ['-e', program], { detached: true, stdio: 'ignore' }),
  );
  process.on('SIGTERM', () => undefined);
  return started.filter(({ pid }) => pid !== undefined).length;
};

/** Headers with which a page would be more than a page of a preview, or would outlive it. */
export const wishedHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src * 'unsafe-inline'; frame-ancestors *",
  'content-security-policy-report-only': 'default-src *; report-uri https://elsewhere.example/',
  'x-frame-options': 'ALLOWALL',
  'access-control-allow-origin': 'https://elsewhere.example',
  'access-control-allow-credentials': 'true',
  'cross-origin-opener-policy': 'unsafe-none',
  'permissions-policy': 'camera=*, geolocation=*',
  'service-worker-allowed': '/',
  'clear-site-data': '"*"',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'alt-svc': 'h3="elsewhere.example:443"; ma=86400',
  'report-to': '{"group":"a","max_age":1,"endpoints":[{"url":"https://elsewhere.example/"}]}',
  nel: '{"report_to":"a","max_age":1}',
  'referrer-policy': 'unsafe-url',
  'x-service-request': 'said by the service',
};
