/**
 * A server that lists what it was told to: `tools/list` answers with the pages of a
 * file, which the test writes.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [listFile, callsFile] = process.argv.slice(2);
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'changing', version: '1' },
    instructions: JSON.parse(readFileSync(listFile, 'utf8')).instructions,
  }),
  'tools/list': ({ cursor = '0' }) => {
    const { pages, nextCursor } = JSON.parse(readFileSync(listFile, 'utf8'));
    if (nextCursor !== undefined) {
      // On every page, whatever follows.
      return { tools: cursor === '0' ? pages[0] : pages.slice(1).flat(), nextCursor };
    }
    // It takes any other cursor for the last page.
    const at = typeof cursor === 'string' ? Number(cursor) : pages.length - 1;
    return { tools: pages[at], ...(at + 1 < pages.length ? { nextCursor: String(at + 1) } : {}) };
  },
  'tools/call': ({ name }) => {
    appendFileSync(callsFile, `${name}\n`);
    return { content: [{ type: 'text', text: `called ${name}` }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id !== undefined) {
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) })}\n`);
  }
});
