/**
 * A server that writes every byte it gets to the given file, and answers each request with an empty result.
 */
import { openSync, writeSync } from 'node:fs';

const file = openSync(process.argv[2], 'a');
let rest = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  writeSync(file, chunk);
  const lines = Buffer.concat([rest, chunk]).toString('latin1').split('\n');
  rest = Buffer.from(lines.pop() ?? '', 'latin1');
  for (const line of lines) {
    const { id, method } = JSON.parse(Buffer.from(line, 'latin1').toString());
    if (id !== undefined && method !== undefined) {
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`);
    }
  }
});
