/**
 * The MCP server behind every proxy of the bench, as light as possible so that it masks no proxy's cost:
 * answers a call with its own text. `listen PATH`, `connect PATH`, or `stdio`. Ends with its standard input.
 */
import { createConnection, createServer, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

interface Request {
  id?: number | string;
  method: string;
  params?: { protocolVersion?: string; arguments?: { text?: string } };
}

/**
 * A line longer than this is counted, not parsed: a neighbour's lines must cost as little
 * as possible on this side.
 */
const unreadLength = 100_000;
const idAtTheHead = /"id":(\d+)/;
const tools = ['echo', 'gated'].map((name) => ({ name, inputSchema: { type: 'object' } }));

function answerTo(line: string): string {
  if (line.length > unreadLength) {
    return resultOf(Number(idAtTheHead.exec(line.slice(0, 1000))?.[1]), { content: [] });
  }
  const { id, method, params }: Request = JSON.parse(line);
  if (id === undefined) {
    return '';
  }
  if (method === 'tools/call') {
    return resultOf(id, { content: [{ type: 'text', text: params?.arguments?.text ?? '' }] });
  }
  if (method === 'initialize') {
    const serverInfo = { name: 'echo', version: '1.0.0' };
    return resultOf(id, {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo,
    });
  }
  return resultOf(id, method === 'tools/list' ? { tools } : {});
}

function resultOf(id: number | string, result: unknown): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
}

/** All answers to one chunk leave in one write. The bench sends ASCII only. */
function serve(input: Readable, output: Writable): void {
  let rest = '';
  input.setEncoding('latin1');
  input.on('data', (chunk: string) => {
    let answers = '';
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      answers += answerTo(rest + chunk.slice(from, end));
      rest = '';
      from = end + 1;
    }
    rest += chunk.slice(from);
    if (answers !== '') {
      output.write(answers, 'latin1');
    }
  });
}

function serveSocket(socket: Socket): void {
  socket.on('error', () => undefined);
  serve(socket, socket);
}

const [mode = '', path = ''] = process.argv.slice(2);
if (mode === 'listen') {
  createServer(serveSocket).listen(path);
} else if (mode === 'connect') {
  serveSocket(createConnection(path));
} else {
  serve(process.stdin, process.stdout);
}
process.stdin.once('end', () => process.exit()).resume();
