/** Report sockets: where a process's launcher reports on it, and where that process may write, too. */
import type { Attempt } from './attempt.ts';

/** The agent's attempts: on the sockets of servers, its own and another session's. */
export const agentReportAttempts: Attempt[] = [
  {
    what: 'connects to the report sockets of servers, of itself and of another session',
    stoppedBy: 'a view of the socket directory for each container',
    run: (kit, { otherSession, ownSession }) =>
      Promise.all(
        [
          '/run/platform/mcp/.report.sock',
          '/run/platform-report/.report.sock',
          `${ownSession.directory}/servers/mallory/.report.sock`,
          `${ownSession.directory}/reports/agent/.report.sock`,
          `${otherSession.directory}/servers/files/.report.sock`,
        ].map((path) => kit.connect({ path })),
      ),
    inside: ['ENOENT', 'ENOENT', 'ENOENT', 'ENOENT', 'ENOENT'],
    outside: ['ENOENT', 'ENOENT', 'connected', 'connected', 'connected'],
  },
];

/** A server's attempts on its own socket: everything there is a claim about itself. */
export const serverReportAttempts: Attempt[] = [
  {
    what: 'connects to the report sockets of other servers and of the agent',
    stoppedBy: 'a view of the socket directory for each container',
    run: (kit, { otherSession, ownSession }) =>
      Promise.all(
        [
          '/run/platform-report/.report.sock',
          '/run/platform/mcp/../../servers/vault/.report.sock',
          `${ownSession.directory}/servers/vault/.report.sock`,
          `${ownSession.directory}/reports/agent/.report.sock`,
          `${otherSession.directory}/servers/files/.report.sock`,
        ].map((path) => kit.connect({ path })),
      ),
    inside: ['ENOENT', 'ENOENT', 'ENOENT', 'ENOENT', 'ENOENT'],
    outside: ['ENOENT', 'ENOENT', 'connected', 'connected', 'connected'],
  },
  {
    what: 'tells on its report socket how another server ended, what is no claim, and lines of any size',
    stoppedBy: 'a closed list of claims, about the process of the socket alone',
    // The first of each ends the connection: what follows is not read.
    run: async (kit) => {
      const ended = { type: 'ended', exit_code: 66, signal: null };
      const lines = [
        { ...ended, name: 'vault' },
        { ...ended, kind: 'agent' },
        { type: 'ready', name: 'vault' },
        { ...ended, exit_code: 1e9 },
        { ...ended, exit_code: null, signal: '<img src=x>' },
        { type: 'not_started', error: 'no words, please' },
        { type: 'output', base64: 'bm90', skipped_bytes: -1 },
        { type: 'output', base64: 'not base64!' },
        'no json at all\n',
        `${'['.repeat(20_000)}\n`,
        `${'\0'.repeat(1000)}\n`,
        `{"type":"output","base64":"${'A'.repeat(40_000)}"}\n`,
        // Of any size, without a line end.
        'x'.repeat(100_000),
      ];
      const closed: boolean[] = [];
      for (const line of lines) {
        const opened = await kit.wire('/run/platform/mcp/.report.sock');
        opened.send(line);
        for (let times = 0; times < 200 && !opened.isClosed(); times += 1) {
          await kit.sleep(25);
        }
        closed.push(opened.isClosed());
        opened.close();
      }
      return closed;
    },
    inside: Array.from({ length: 13 }, () => true),
  },
  {
    what: 'opens 50 connections to its report socket, and keeps them',
    stoppedBy: 'a bound on connections, named in the code',
    run: async (kit) => {
      let open = 0;
      const sockets = Array.from({ length: 50 }, () => kit.net.connect('/run/platform/mcp/.report.sock'));
      for (const socket of sockets) {
        open += 1;
        socket.on('error', () => undefined);
        socket.on('close', () => {
          open -= 1;
        });
        socket.resume();
      }
      for (let times = 0; times < 200 && open > 4; times += 1) {
        await kit.sleep(50);
      }
      await kit.sleep(500);
      const left = open;
      for (const socket of sockets) {
        socket.destroy();
      }
      return left > 0 && left <= 4 ? 'a few' : left;
    },
    inside: 'a few',
  },
  {
    what: 'floods its report socket with claims and output',
    stoppedBy: 'a rate at which it is read: the rest waits at the sender',
    run: async (kit) => {
      const claim = `${JSON.stringify({ type: 'ended', exit_code: 65, signal: null })}\n`;
      const output = `${JSON.stringify({ type: 'output', base64: 'bWFsbG9yeSBzYXlz'.repeat(500) })}\n`;
      // The last two are one unterminated line.
      const pieces = [
        (claim.repeat(20) + output).repeat(20),
        output,
        'x'.repeat(30_000),
        'y'.repeat(30_000),
      ].map((text) => Buffer.from(text));
      const sockets = pieces.map(() => kit.net.connect('/run/platform/mcp/.report.sock'));
      let taken = 0;
      for (const [index, socket] of sockets.entries()) {
        const piece = pieces[index] ?? Buffer.alloc(0);
        const pour = () =>
          socket.write(piece, (error) => {
            if (!error) {
              taken += piece.length;
              pour();
            }
          });
        socket.on('error', () => undefined);
        pour();
      }
      const beganMs = Date.now();
      await kit.sleep(5000);
      const perSecond = taken / ((Date.now() - beganMs) / 1000);
      for (const socket of sockets) {
        socket.destroy();
      }
      // Four connections, each with full socket buffers besides what is read of it.
      return perSecond < 3_000_000 ? 'slowed down' : `${perSecond} bytes a second`;
    },
    inside: 'slowed down',
  },
  {
    what: 'tells on its report socket how it ended itself (control of those before)',
    stoppedBy: 'nothing: it may',
    run: async (kit) => {
      const opened = await kit.wire('/run/platform/mcp/.report.sock');
      opened.send({ type: 'ended', exit_code: 65, signal: null });
      // It is read once the flood before it is paid for.
      await kit.sleep(8000);
      opened.close();
      return 'sent';
    },
    inside: 'sent',
  },
];
