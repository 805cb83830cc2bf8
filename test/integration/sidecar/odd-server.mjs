/**
 * A server that prints what its caller asks for, in place of an answer. With `--modern` it
 * is of the 2026 revision.
 */
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const capabilities = { tools: {} };
    send({
      id,
      result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'odd', version: '1' } },
    });
  } else if (method === 'server/discover' && process.argv.includes('--modern')) {
    const supported = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    send({ id, result: { ...supported, resultType: 'complete', ttlMs: 0, cacheScope: 'private' } });
  } else if (method === 'tools/call') {
    answer(id, params);
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: 'Method not found' } });
  }
});

function answer(id, { name, arguments: given, _meta: meta }) {
  if (name === 'print') {
    process.stdout.write(given.text.replaceAll('ID', String(id)));
  } else if (name === 'printSlowly') {
    const lines = given.text.replaceAll('ID', String(id)).split('\n');
    const timer = setInterval(() => {
      const line = lines.shift();
      if (line === undefined) {
        clearInterval(timer);
      } else {
        process.stdout.write(`${line}\n`);
      }
    }, given.everyMs);
  } else if (name === 'fill') {
    const text = 'x'.repeat(given.bytes);
    send({ result: { content: [{ type: 'text', text }] }, id });
  } else if (name === 'values') {
    const list = `[${'0,'.repeat(given.count)}0]`;
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"list":${list}}}}\n`,
    );
  } else if (name === 'progress') {
    let left = given.times;
    const timer = setInterval(() => {
      left -= 1;
      if (left < 0) {
        clearInterval(timer);
        send({ id, result: { content: [{ type: 'text', text: 'done' }] } });
      } else {
        send({
          method: 'notifications/progress',
          params: { progressToken: meta.progressToken, progress: given.times - left },
        });
      }
    }, given.everyMs);
  } else if (name === 'echo') {
    send({ id, result: { content: [{ type: 'text', text: given.text }], resultType: 'complete' } });
  }
}
