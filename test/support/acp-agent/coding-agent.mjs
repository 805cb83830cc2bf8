/**
 * A coding agent that speaks ACP, MCP and the Messages API without a package, short enough for an argument:
 * it makes the calls that its model asks for, with a tool of its own that writes files.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

const writes = {
  name: 'write',
  description: 'Writes a file',
  input_schema: {
    type: 'object',
    properties: { filePath: { type: 'string' }, content: { type: 'string' } },
  },
};
const tools = [writes];
/** By the name that the model knows: the tool of a server. */
const calls = {};
const messages = [];
let model;
let allowed;

const send = (stream, message) => stream.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (told) =>
  send(process.stdout, { method: 'session/update', params: { sessionId: 'one', update: told } });
const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

async function connect({ name: server, command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method === undefined) {
      waiting[id](result ?? { isError: true, content: [{ type: 'text', text: error.message }] });
    }
  });
  const ask = (method, params) =>
    new Promise((resolve) => {
      send(child.stdin, { id: waiting.push(resolve) - 1, method, params });
    });
  const clientInfo = { name: 'coding', version: '1' };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send(child.stdin, { method: 'notifications/initialized' });
  for (const { name, description, inputSchema } of (await ask('tools/list', {})).tools) {
    const known = `mcp__${server}__${name}`;
    tools.push({ name: known, description, input_schema: inputSchema });
    calls[known] = (input) => ask('tools/call', { name, arguments: input });
  }
}

/** Nobody is asked: the variable ACP_TOOLS answers. */
async function write({ filePath, content }) {
  const toolCall = { toolCallId: filePath, title: `write ${filePath}`, kind: 'edit' };
  update({ sessionUpdate: 'tool_call', status: 'pending', ...toolCall });
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const params = { sessionId: 'one', toolCall, options };
  send(process.stdout, { id: 0, method: 'session/request_permission', params });
  const { outcome } = await new Promise((resolve) => {
    allowed = resolve;
  });
  const isError = outcome.optionId !== 'yes';
  if (!isError) {
    writeFileSync(filePath, content);
  }
  const status = isError ? 'failed' : 'completed';
  update({ sessionUpdate: 'tool_call_update', toolCallId: filePath, status });
  return { isError, content: [{ type: 'text', text: status }] };
}

async function askModel() {
  const answer = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 4000, stream: true, tools, messages }),
  });
  if (!answer.ok) {
    throw new Error(await answer.text());
  }
  const [blocks, inputs] = [[], []];
  for await (const line of createInterface({ input: Readable.fromWeb(answer.body) })) {
    const { type, index, content_block, delta } = line.startsWith('data: ') ? JSON.parse(line.slice(6)) : {};
    if (type === 'content_block_start') {
      blocks[index] = content_block;
      inputs[index] = '';
    } else if (delta?.type === 'text_delta') {
      blocks[index].text += delta.text;
      say(delta.text);
    } else if (delta?.type === 'input_json_delta') {
      inputs[index] += delta.partial_json;
    }
  }
  return blocks.map((block, index) =>
    block.type === 'text' ? block : { ...block, input: JSON.parse(inputs[index] || '{}') },
  );
}

async function turn(text) {
  for (let content = [{ type: 'text', text }]; content.length > 0; ) {
    messages.push({ role: 'user', content });
    const blocks = await askModel();
    messages.push({ role: 'assistant', content: blocks });
    content = [];
    for (const { id, name, input } of blocks.filter(({ type }) => type === 'tool_use')) {
      const { content: result, isError = false } = await (calls[name] ?? write)(input);
      content.push({ type: 'tool_result', tool_use_id: id, is_error: isError, content: result });
    }
  }
}

const answers = {
  initialize: () => ({ protocolVersion: 1 }),
  async 'session/new'({ mcpServers }) {
    for (const server of mcpServers) {
      await connect(server);
    }
    const options = [{ value: 'claude-sonnet-4-5', name: 'Sonnet' }];
    return { sessionId: 'one', configOptions: [{ id: 'model', category: 'model', options }] };
  },
  'session/set_config_option'({ value }) {
    model = value;
    return {};
  },
  async 'session/prompt'({ prompt }) {
    await turn(prompt.map(({ text }) => text).join('\n'));
    return { stopReason: 'end_turn' };
  },
};
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) {
    allowed(result);
  } else if (id !== undefined) {
    try {
      send(process.stdout, { id, result: await answers[method](params) });
    } catch ({ message }) {
      send(process.stdout, { id, error: { code: -32000, message } });
    }
  }
});
