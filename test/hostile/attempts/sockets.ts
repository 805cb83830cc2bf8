/** The sockets of the session: its own, other servers', other sessions', and what looks like them. */
import { expect } from '@jest/globals';
import type { Attempt } from './attempt.ts';

/** For both agent and server; `sockets` is the directory that holds `mcp/`. */
export const socketAttempts: Attempt[] = [
  {
    what: 'replaces, links, renames, removes and adds sockets where its own are',
    stoppedBy: 'a read-only mount',
    run: async (kit, { sockets, ownSocket }) => {
      const { fs, attempt } = kit;
      const mcp = `${sockets}/mcp`;
      return [
        await kit.listen(`${mcp}/mine.sock`),
        attempt(() => fs.symlinkSync('/tmp', `${mcp}/files-too.sock`)),
        attempt(() => fs.linkSync(ownSocket, `${mcp}/copy.sock`)),
        attempt(() => fs.chmodSync(ownSocket, 0o777)),
        attempt(() => fs.utimesSync(ownSocket, 0, 0)),
        attempt(() => fs.mkdirSync(`${mcp}/more`)),
        attempt(() => fs.renameSync(ownSocket, `${mcp}/other.sock`)),
        attempt(() => fs.rmSync(`${mcp}/other.sock`)),
        attempt(() => fs.rmSync(ownSocket)),
      ];
    },
    inside: ['EROFS', 'EROFS', 'EROFS', 'EROFS', 'EROFS', 'EROFS', 'EROFS', 'ENOENT', 'EROFS'],
    // On a directory that was made for this.
    outside: ['listens', 'done', 'done', 'done', 'done', 'done', 'done', 'done', 'ENOENT'],
  },
  {
    what: 'looks for sockets beside its own',
    stoppedBy: 'a view of the socket directory for each container',
    run: (kit) => String(kit.fs.readdirSync('/run/platform', { recursive: true }).sort()),
    inside:
      'agent,agent/config.json,agent/sidecar.sock,mcp,mcp/files.sock,mcp/mallory.sock,mcp/platform.sock,mcp/vault.sock',
    insideServer: 'mcp,mcp/.report.sock,mcp/mallory.sock',
  },
  {
    what: "connects to another session's sockets, and to the side of the servers of its own",
    stoppedBy: 'an allow-list of mounts',
    run: (kit, { otherSession, ownSession }) =>
      Promise.all([
        kit.connect({ path: `${otherSession.directory}/agent/mcp/platform.sock` }),
        kit.connect({ path: `${otherSession.directory}/agent/agent/sidecar.sock` }),
        kit.connect({ path: `${ownSession.directory}/servers/vault/vault.sock` }),
      ]),
    inside: ['ENOENT', 'ENOENT', 'ENOENT'],
    outside: ['connected', 'connected', 'connected'],
  },
  {
    what: 'copies a socket out of the directory to own it',
    stoppedBy: 'file systems that hold no links to each other',
    run: (kit, { ownSocket, workspace }) =>
      kit.attempt(() => kit.fs.linkSync(ownSocket, `${workspace}/linked.sock`)),
    inside: 'EXDEV',
  },
];

/** For the agent alone. */
export const agentSocketAttempts: Attempt[] = [
  {
    what: 'waits at sockets that look like those of the session',
    stoppedBy: 'nobody looks there',
    run: async (kit) => {
      const { fs, net } = kit;
      let visitors = 0;
      const servers = ['/workspace/run/platform/mcp', '/tmp/run/platform/mcp', '/workspace'].flatMap(
        (place) => {
          fs.mkdirSync(place, { recursive: true });
          return ['files.sock', 'platform.sock', 'sidecar.sock'].map((name) =>
            net.createServer(() => (visitors += 1)).listen(`${place}/${name}`),
          );
        },
      );
      servers.push(net.createServer(() => (visitors += 1)).listen('\0/run/platform/mcp/files.sock'));
      const answer = await kit.callTool('files', 'list_allowed_directories');
      // The control: they can be connected to.
      const own = await kit.connect({ path: '/workspace/files.sock' });
      for (const server of servers) {
        server.close();
      }
      return { own, visitors: visitors - 1, honest: JSON.stringify(answer).includes('Allowed') };
    },
    inside: { own: 'connected', visitors: 0, honest: true },
  },
  {
    what: 'opens 300 connections to each of its sockets',
    stoppedBy: 'a bound on connections, each named in the code',
    run: async (kit) => {
      const stays: Record<string, boolean> = {};
      for (const path of ['mcp/files.sock', 'mcp/platform.sock', 'agent/sidecar.sock']) {
        const sockets = Array.from({ length: 300 }, () => kit.net.connect({ path: `/run/platform/${path}` }));
        let closed = 0;
        for (const socket of sockets) {
          socket.on('error', () => undefined);
          socket.on('close', () => {
            closed += 1;
          });
          socket.resume();
        }
        for (let times = 0; times < 50 && 300 - closed > 40; times += 1) {
          await kit.sleep(300);
        }
        await kit.sleep(1000);
        stays[path] = 300 - closed > 0 && 300 - closed <= 40;
        for (const socket of sockets) {
          socket.destroy();
        }
        await kit.sleep(200);
      }
      return stays;
    },
    inside: { 'mcp/files.sock': true, 'mcp/platform.sock': true, 'agent/sidecar.sock': true },
  },
  {
    what: 'hands open files to the sidecar through its sockets',
    stoppedBy: 'a reader that takes bytes only',
    // The test looks at what the sidecar has open afterwards.
    run: (kit) => {
      kit.fs.writeFileSync('/workspace/handed-over', 'x');
      return kit.perl(`use Socket;
        open(my $file, '<', '/workspace/handed-over') or die;
        sub give { my ($socket) = @_;
          my $byte = "\\n"; my $iov = pack('PQ', $byte, 1);
          my $control = pack('QllL', 20, 1, 1, fileno($file)) . "\\0" x 4;
          my $message = pack('QLx4PQPQLx4', 0, 0, $iov, 1, $control, 24, 0);
          return syscall(${process.arch === 'arm64' ? 211 : 46}, fileno($socket), $message, 0) == 1; }
        socketpair(my $near, my $far, AF_UNIX, SOCK_STREAM, 0) or die;
        print give($near) ? 'control given ' : 'control ' . why() . ' ';
        for my $path ('mcp/platform.sock', 'mcp/files.sock', 'agent/sidecar.sock') {
          socket(my $s, AF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un("/run/platform/$path")) or die why();
          my $given = 0; for (1..20) { $given += 1 if give($s); } print "$given "; }`);
    },
    inside: expect.stringMatching(/^control given 20 20 \d+ $/),
  },
];

/** For the server alone. */
export const serverSocketAttempts: Attempt[] = [
  {
    what: 'connects to its own socket as if it were the agent, and asks for tools of others',
    stoppedBy: 'a socket that takes a server only: nothing that it asks is carried out',
    run: async (kit) => {
      const opened = await kit.wire('/run/platform/mcp/mallory.sock');
      opened.send(kit.call(1, 'open', {}), kit.call(2, 'request_grant', {}));
      opened.send({ jsonrpc: '2.0', id: 3, method: 'initialize', params: {} });
      const received = await opened.quiet(1000);
      opened.close();
      return received;
    },
    inside: [],
  },
];
