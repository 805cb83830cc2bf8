/**
 * An agent that speaks ACP and MCP without a package, short enough for an argument: it makes a call, asks
 * when it is refused, says more and more while it waits, makes the call again after the decision, and ends
 * the session.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const path = '/workspace/report.txt';
const servers = {};

const send = (stream, message) => stream.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tell = (update) =>
  send(process.stdout, { method: 'session/update', params: { sessionId: 'one', update } });
const say = (text) => tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

function connect({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line);
    waiting.get(id)?.(result);
  });
  return (method, params) =>
    new Promise((resolve) => {
      waiting.set(waiting.size, resolve);
      send(child.stdin, { id: waiting.size - 1, method, params });
      if (method === 'initialize') {
        send(child.stdin, { method: 'notifications/initialized' });
      }
    });
}
async function call(server, name, input) {
  const { content, isError } = await servers[server]('tools/call', { name, arguments: input });
  say(`${name}: ${content[0].text} `);
  return isError !== true;
}
const write = () => call('files', 'write_file', { path, content: 'the report' });

async function askAndWrite() {
  const timer = setInterval(() => say('I wait. '), 100);
  await call('platform', 'request_permission', {
    ...{ grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'once' },
    ...{ justification: 'to write the report', wait_seconds: 300 },
  });
  clearInterval(timer);
  return await write();
}

async function answer(method, params) {
  switch (method) {
    case 'initialize':
      return { protocolVersion: 1 };
    case 'session/new':
      for (const server of params.mcpServers) {
        servers[server.name] = connect(server);
        await servers[server.name]('initialize', {
          ...{ protocolVersion: '2025-06-18', capabilities: {} },
          clientInfo: { name: 'plain', version: '1' },
        });
      }
      return { sessionId: 'one' };
    case 'session/prompt':
      // A decision that comes later is the next turn.
      if ((await write()) || (await askAndWrite())) {
        await call('platform', 'end_session', { outcome: 'completed', summary: 'the report is written' });
      }
      return { stopReason: 'end_turn' };
  }
}
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined && method !== undefined) {
    send(process.stdout, { id, result: await answer(method, params) });
  }
});
