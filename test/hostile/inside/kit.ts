/**
 * The helpers of every attempt. The text of `makeKit` is what runs: in the sandbox, and on the machine itself
 * for the control of an attempt. So it uses nothing but its arguments.
 */
import type childProcess from 'node:child_process';
import type dns from 'node:dns';
import type fs from 'node:fs';
import type http from 'node:http';
import type net from 'node:net';

export interface Modules {
  childProcess: typeof childProcess;
  dns: typeof dns;
  fs: typeof fs;
  http: typeof http;
  net: typeof net;
}

export interface HttpAnswer {
  /** 0 when there was no answer; `text` then holds the reason. */
  status: number;
  text: string;
}

export interface HttpRequest {
  socketPath?: string;
  host?: string;
  port?: number;
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

export type Message = Record<string, unknown>;

export interface Wire {
  received: Message[];
  send(...lines: (string | Buffer | object)[]): void;
  /** The first message with this id; null when none came in time. */
  answer(id: unknown, withinMs?: number): Promise<Message | null>;
  /** Everything received, once nothing has come for this long. */
  quiet(forMs?: number): Promise<Message[]>;
  isClosed(): boolean;
  close(): void;
}

export type Kit = ReturnType<typeof makeKit>;

export function makeKit({ childProcess, dns, fs, http, net }: Modules) {
  const sidecar = '/run/platform/agent/sidecar.sock';
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const codeOf = (error: unknown): string =>
    typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);

  const attempt = (work: () => unknown): unknown => {
    try {
      return work() ?? 'done';
    } catch (error) {
      return codeOf(error);
    }
  };
  const read = (path: string) => attempt(() => fs.readFileSync(path, 'utf8'));
  const list = (path: string) => attempt(() => fs.readdirSync(path).sort());

  const connect = (to: net.NetConnectOpts, withinMs = 1500): Promise<string> =>
    new Promise((resolve) => {
      const socket = net.connect(to, () => settle('connected'));
      const settle = (outcome: string) => {
        clearTimeout(timer);
        socket.destroy();
        resolve(outcome);
      };
      const timer = setTimeout(() => settle('silence'), withinMs);
      socket.on('error', (error) => settle(codeOf(error)));
    });

  const listen = (path: string): Promise<string> =>
    new Promise((resolve) => {
      const server = net.createServer();
      server.on('error', (error) => resolve(codeOf(error)));
      server.listen(path, () => server.close(() => resolve('listens')));
    });

  const run = (command: string, args: string[], input?: string, timeoutMs = 10_000) => {
    const options = {
      encoding: 'utf8',
      timeout: timeoutMs,
      ...(input === undefined ? {} : { input }),
    } as const;
    const { error, status, stdout, stderr } = childProcess.spawnSync(command, args, options);
    return { status: error ? codeOf(error) : status, stdout: stdout ?? '', stderr: stderr ?? '' };
  };
  /**
   * Runs a Perl script, which is on every Debian; returns what it prints. `why()` in it is
   * the name of the last error.
   */
  const perl = (script: string, timeoutMs?: number): string => {
    const why = 'use Errno; sub why { my ($name) = grep { $!{$_} } sort keys %!; $name // "none" }';
    const { stdout, stderr, status } = run('perl', ['-e', `${why} ${script}`], undefined, timeoutMs);
    return stdout === '' ? `${status} ${stderr}`.trim() : stdout;
  };
  /** A system call by its number: the name of its error, or `done`. Arguments are Perl expressions. */
  const syscall = (number: number, ...args: (number | string)[]): string =>
    perl(`my @args = (${args.join(', ')}); print syscall(${number}, @args) == -1 ? why() : 'done'`);

  const request = ({ method = 'GET', body, ...to }: HttpRequest, withinMs = 8000): Promise<HttpAnswer> =>
    new Promise((resolve) => {
      const failed = (error: unknown) => resolve({ status: 0, text: codeOf(error) });
      const sent = http.request({ method, agent: false, timeout: withinMs, ...to }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', failed);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('timeout', () => sent.destroy(new Error('silence')));
      sent.on('error', failed);
      sent.end(body);
    });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request({
      socketPath: sidecar,
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });

  const wire = (path: string): Promise<Wire> =>
    new Promise((resolve, reject) => {
      const socket = net.connect({ path, allowHalfOpen: true });
      const received: Message[] = [];
      let text = '';
      let closed = false;
      let lastMs = Date.now();
      socket.setEncoding('utf8');
      socket.on('error', (error) => {
        closed = true;
        reject(error);
      });
      socket.on('end', () => {
        closed = true;
        socket.end();
      });
      socket.on('close', () => {
        closed = true;
      });
      socket.on('data', (chunk: string) => {
        lastMs = Date.now();
        const lines = (text + chunk).split('\n');
        text = lines.pop() ?? '';
        received.push(...lines.map((line) => JSON.parse(line)));
      });
      const until = async (isDone: () => boolean, withinMs: number) => {
        for (const deadline = Date.now() + withinMs; !isDone() && Date.now() < deadline; ) {
          await sleep(10);
        }
      };
      const opened: Wire = {
        received,
        isClosed: () => closed,
        close: () => socket.destroy(),
        send(...lines) {
          for (const line of lines) {
            const isText = typeof line === 'string' || Buffer.isBuffer(line);
            socket.write(isText ? line : `${JSON.stringify(line)}\n`);
          }
        },
        async answer(id, withinMs = 5000) {
          const find = () => received.find((message) => message['id'] === id && !('method' in message));
          await until(() => find() !== undefined || closed, withinMs);
          return find() ?? null;
        },
        async quiet(forMs = 300) {
          lastMs = Date.now();
          await until(() => closed || Date.now() - lastMs > forMs, 10_000);
          return received;
        },
      };
      socket.once('connect', () => resolve(opened));
    });
  const call = (id: unknown, name: string, args: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  /** A connection to a server whose handshake is complete. */
  const openServer = async (server: string): Promise<Wire> => {
    const opened = await wire(`/run/platform/mcp/${server}.sock`);
    const clientInfo = { name: 'hostile', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    opened.send({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params });
    await opened.answer('hello', 15_000);
    opened.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return opened;
  };
  /** Makes one call over a new connection; returns its answer, or null. */
  const callTool = async (server: string, tool: string, args: object = {}): Promise<Message | null> => {
    const opened = await openServer(server);
    opened.send(call('one', tool, args));
    const answer = await opened.answer('one', 20_000);
    opened.close();
    return answer;
  };

  return {
    ...{ fs, net, http, dns, childProcess, sidecar, sleep, codeOf, attempt, read, list, connect, listen },
    ...{ run, perl, syscall, request, post, wire, call, openServer, callTool },
  };
}
