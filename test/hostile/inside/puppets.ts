/**
 * The programs of the hostile agent and of the malicious server, as texts: each runs what it is sent, inside
 * its sandbox. Functions here are sent as text too, so they use nothing but their arguments.
 */
import type http from 'node:http';
import { type Kit, type Message, makeKit } from './kit.ts';

/** One program for a puppet: the text of `(kit, target, argument) => value`. */
export interface Order {
  name: string;
  source: string;
  argument?: unknown;
}

/** Runs the orders one after the other; returns each result, by name. */
const carryOut = async (kit: Kit, orders: Order[], target: unknown): Promise<Record<string, unknown>> => {
  const results: Record<string, unknown> = {};
  for (const { name, source, argument } of orders) {
    try {
      // biome-ignore lint/security/noGlobalEval: it is what this program is for
      // biome-ignore lint/complexity/noCommaOperator: in the global scope
      const program = (0, eval)(source);
      const limit = kit.sleep(100_000).then(() => 'no end');
      results[name] = (await Promise.race([program(kit, target, argument), limit])) ?? null;
    } catch (error) {
      results[name] = `threw ${kit.codeOf(error)}`;
    }
  }
  return results;
};

/**
 * Takes orders from its prompt and from messages, and uploads their results as an artifact
 * named by the message's id.
 */
const agentMain = async (kit: Kit, runOrders: typeof carryOut): Promise<void> => {
  const inbox: { seq: number; text: string; kind: string }[] = [];
  const obey = async (text: string): Promise<void> => {
    const { id, orders, target } = JSON.parse(text);
    const results = await runOrders(kit, orders, target);
    for (let tries = 0; tries < 20; tries += 1) {
      const { status } = await kit.post(`/artifact?name=${id}`, JSON.stringify(results));
      if (status === 200) {
        return;
      }
      await kit.sleep(500);
    }
  };
  let turn = Promise.resolve();
  const take = (frame: string): void => {
    const data = frame.split('\n').find((line) => line.startsWith('data: '));
    const message = data === undefined ? null : JSON.parse(data.slice('data: '.length));
    if (message !== null && !inbox.some(({ seq }) => seq === message.seq)) {
      inbox.push(message);
      // Whoever drives the session, and in one that nobody drives the session above it.
      if (['user_message', 'session_message'].includes(message.kind) && message.text.startsWith('{"id"')) {
        turn = turn.then(() => obey(message.text));
      }
    }
  };
  const listenToInput = () =>
    new Promise<void>((resolve) => {
      const headers = { 'last-event-id': String(inbox.at(-1)?.seq ?? 0) };
      const request = kit.http.get({ socketPath: kit.sidecar, path: '/input', headers, agent: false });
      request.on('error', () => resolve());
      request.on('response', (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          const frames = (rest + chunk).split('\n\n');
          rest = frames.pop() ?? '';
          frames.forEach(take);
        });
        response.on('error', () => resolve());
        response.on('close', () => resolve());
      });
    });
  // All that a session gets which nobody drives, and which no other one started.
  const { prompt } = JSON.parse(String(kit.read(process.env['PLATFORM_CONFIG'] ?? '')));
  if (prompt.startsWith('{"id"')) {
    turn = turn.then(() => obey(prompt));
  }
  for (;;) {
    await listenToInput();
    await kit.sleep(200);
  }
};

/** Lets a program in the server write to the sidecar without any protocol rules. */
export interface Mouth {
  /** The id of the call that brought the program. */
  id: unknown;
  say(...lines: (string | Buffer | object)[]): void;
  /** Every line that the server was sent. */
  heard: Message[];
  /** Answers the call; what the program returns is the answer unless it is undefined. */
  reply(value: unknown): void;
}

/** An MCP server with one tool that runs what it is sent, and others that do nothing. */
const serverMain = (kit: Kit, input: NodeJS.ReadStream, output: NodeJS.WriteStream): void => {
  const heard: Message[] = [];
  const say: Mouth['say'] = (...lines) => {
    for (const line of lines) {
      const isText = typeof line === 'string' || Buffer.isBuffer(line);
      output.write(isText ? line : `${JSON.stringify(line)}\n`);
    }
  };
  const answer = (id: unknown, result: unknown) => say({ jsonrpc: '2.0', id, result });
  const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value ?? null) }] });
  const runProgram = async (id: unknown, { source, target }: { source: string; target: unknown }) => {
    const mouth: Mouth = { id, say, heard, reply: (value) => answer(id, text(value)) };
    try {
      // biome-ignore lint/security/noGlobalEval: it is what this program is for
      // biome-ignore lint/complexity/noCommaOperator: in the global scope
      const value = await (0, eval)(source)(kit, target, mouth);
      if (value !== undefined) {
        mouth.reply(value);
      }
    } catch (error) {
      mouth.reply(`threw ${kit.codeOf(error)}`);
    }
  };
  const take = (line: string): void => {
    const message = JSON.parse(line);
    heard.push(message);
    const { id, method, params } = message;
    if (method === 'initialize') {
      const serverInfo = { name: 'mallory', version: '1' };
      answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
    } else if (method === 'tools/call' && params.name === 'run') {
      void runProgram(id, params.arguments);
    } else if (id !== undefined && method !== undefined) {
      answer(id, text(null));
    }
  };
  let rest = '';
  input.setEncoding('utf8');
  input.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    lines.filter(Boolean).forEach(take);
  });
};

/** A web server that answers as it is asked to, and runs what it is sent. */
const serviceMain = (kit: Kit): void => {
  const heard: string[] = [];
  const obey = async (url: string, body: string, response: http.ServerResponse): Promise<void> => {
    if (url === '/run') {
      const { source, target, argument } = JSON.parse(body);
      // biome-ignore lint/security/noGlobalEval: it is what this program is for
      // biome-ignore lint/complexity/noCommaOperator: in the global scope
      const value = await (async () => (0, eval)(source)(kit, target, argument))().catch(kit.codeOf);
      response.end(JSON.stringify(value ?? null));
    } else if (url === '/answer') {
      const { status, headers, text } = JSON.parse(body);
      response.writeHead(status, headers).end(text);
    } else if (url === '/heard') {
      response.end(JSON.stringify(heard));
    } else if (url === '/endless') {
      const chunk = Buffer.alloc(65_536, 120);
      const more = () => {
        for (let isTaken = true; isTaken; ) {
          isTaken = response.write(chunk);
        }
      };
      response.on('drain', more);
      more();
    } else {
      response.end('honest');
    }
  };
  const server = kit.http.createServer((request, response) => {
    const { url = '', method, headers } = request;
    heard.push(`${method} ${url} ${JSON.stringify(headers)}`);
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => void obey(url, body, response));
    response.on('error', () => undefined);
  });
  server.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1');
};

const modules = ['child_process', 'dns', 'fs', 'http', 'net']
  .map((name) => `${name === 'child_process' ? 'childProcess' : name}: require('node:${name}')`)
  .join(', ');
const startKit = `const kit = (${makeKit})({ ${modules} });`;

/** Arguments for a `command` of Node, in chunks that fit an argument of the configuration. */
export const asArguments = (program: string): string[] => [
  '-e',
  'eval(process.argv.slice(1).join(""))',
  '--',
  ...(program.match(/.{1,4000}/gs) ?? []),
];

/** The agent's program is in its instructions, which may be long. */
export const agentProgram = {
  run: {
    type: 'command',
    command: 'node',
    args: ['-e', 'eval(JSON.parse(fs.readFileSync(process.env.PLATFORM_CONFIG, "utf8")).agent.instructions)'],
  },
  instructions: `${startKit} (${agentMain})(kit, ${carryOut});`,
};

export const maliciousServer = {
  type: 'command',
  command: 'node',
  args: asArguments(`${startKit} (${serverMain})(kit, process.stdin, process.stdout);`),
};

/** A service of an agent's record. */
export const hostileService = {
  name: 'puppet',
  run: {
    type: 'command',
    command: 'node',
    args: asArguments(`${startKit} (${serviceMain})(kit);`),
  },
};

/** Runs orders on the machine itself: they come on standard input, their results go to standard output. */
export const controlProgram = `${startKit} const { orders, target } = JSON.parse(fs.readFileSync(0, 'utf8'));
  (${carryOut})(kit, orders, target).then((results) => {
    fs.writeSync(1, JSON.stringify(results)); process.exit(0);
  });`;
