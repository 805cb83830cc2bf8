/**
 * A server for checks that answers the request for its tools as its variable MODE says. Sent as
 * text, runs in a sandbox.
 */
import { asArguments } from './puppets.ts';

const program = () => {
  const { createInterface } = process.getBuiltinModule('node:readline');
  const mode = process.env['MODE'] ?? '';
  const token = process.env['API_TOKEN'] ?? '';
  const send = (message: object) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const tool = (index: number, description = 'does it') => ({
    name: `tool-${index}`,
    description,
    inputSchema: { type: 'object' },
  });
  const many = (count: number, description?: string) =>
    Array.from({ length: count }, (_, index) => tool(index, description));
  const answers: Record<string, (id: number, cursor: string) => void> = {
    honest: (id) =>
      send({
        id,
        result: {
          tools: [
            { ...tool(1), name: 'look', annotations: { readOnlyHint: true } },
            { ...tool(2), name: 'erase', annotations: { readOnlyHint: false, destructiveHint: true } },
          ],
        },
      }),
    'a million tools': (id, cursor) => {
      const page = Number(cursor || 0);
      const tools = Array.from({ length: 5000 }, (_, index) => tool(page * 5000 + index));
      send({ id, result: { tools, nextCursor: page < 199 ? String(page + 1) : undefined } });
    },
    'endless pages': (id, cursor) => send({ id, result: { tools: [], nextCursor: `${cursor}x` } }),
    'huge descriptions': (id) => send({ id, result: { tools: many(100, 'x'.repeat(9000)) } }),
    'a line without end': () => process.stdout.write('x'.repeat(64 * 1024 * 1024)),
    'terminal escapes': (id) =>
      send({
        id,
        result: { tools: [{ ...tool(1, '\u001b[2J\u001b]0;owned\u0007'), name: 'a\u202eb\u001b[31m' }] },
      }),
    'no tools at all': (id) =>
      send({ id, result: { tools: [null, 1, {}, { name: '' }, { name: 'x'.repeat(500) }] } }),
    'no protocol': (id) => send({ id, result: { tools: 'all of them' } }),
    'an error': (id) => send({ id, error: { code: -32601, message: `no, by ${token}` } }),
    silence: () => undefined,
    secrets: (id) => {
      process.stderr.write(`plain ${token} and ${Buffer.from(token).toString('base64')}\n`);
      send({ id, result: { tools: [{ ...tool(1, `${'x'.repeat(985)} ${token}`), name: `with-${token}` }] } });
    },
    'asks the agent': (id) => {
      send({ id: 900, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
      send({ id, result: { tools: [tool(1)] } });
    },
  };
  if (mode === 'ends at once') {
    process.stderr.write('I do not feel like it\n');
    process.exit(3);
  }
  createInterface({ input: process.stdin }).on('line', (line: string) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') {
      const { protocolVersion } = params;
      send({
        id,
        result: {
          protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'checked', version: '1' },
        },
      });
    } else if (method === 'tools/list') {
      answers[mode]?.(id, params?.cursor ?? '');
    }
  });
};

export const checkedServer = {
  type: 'command' as const,
  command: 'node',
  args: asArguments(`(${program})();`),
};
