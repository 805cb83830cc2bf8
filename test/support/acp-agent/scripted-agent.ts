/**
 * An agent that speaks ACP by the official SDK, and does turn for turn what ACP_SCRIPT says. A turn that was
 * begun counts, also for the process that goes on after one that died in it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { AcpStep } from './steps.ts';

const script: AcpStep[][] = JSON.parse(process.env['ACP_SCRIPT'] ?? '[]');
const version = Number(process.env['ACP_VERSION'] ?? 1);
const turnsFile = 'turns.txt';
const begun = () => (existsSync(turnsFile) ? Number(readFileSync(turnsFile, 'utf8')) : 0);

const servers = new Map<string, Client>();
let cancel = () => {};
let asked = 0;

async function connect(given: acp.NewSessionRequest['mcpServers']): Promise<void> {
  for (const server of given) {
    if ('command' in server) {
      const client = new Client({ name: 'scripted', version: '1' });
      const { command, args } = server;
      await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
      if (process.env['ACP_LISTS'] !== 'none') {
        await client.listTools();
      }
      servers.set(server.name, client);
    }
  }
}

async function callTool(server: string, name: string, args: Record<string, unknown>): Promise<string> {
  try {
    const result = await servers.get(server)?.callTool({ name, arguments: args }, { timeout: 300_000 });
    const content = result?.content ?? [];
    return content.map((part) => ('text' in part ? String(part.text) : '')).join('\n');
  } catch (error) {
    return String(error);
  }
}

async function run(
  step: AcpStep,
  sessionId: string,
  client: acp.AgentContext,
  prompt: string,
): Promise<acp.StopReason | null> {
  const update = (given: acp.SessionUpdate) =>
    client.notify(acp.methods.client.session.update, { sessionId, update: given });
  const say = (text: string) =>
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  switch (step.do) {
    case 'say':
      await say(step.text);
      return null;
    case 'say_process':
      await say(`process ${process.pid}`);
      return null;
    case 'repeat_prompt':
      await say(prompt);
      return null;
    case 'call':
      asked += 1;
      await update({
        ...{ sessionUpdate: 'tool_call', toolCallId: `${asked}`, status: 'pending', kind: 'other' },
        title: `mcp__${step.server}__${step.tool}`,
      });
      await say(await callTool(step.server, step.tool, step.arguments ?? {}));
      await update({ sessionUpdate: 'tool_call_update', toolCallId: `${asked}`, status: 'completed' });
      return null;
    case 'own_tool':
      for (const status of ['pending', 'completed', 'completed'] as const) {
        await update({
          ...{ sessionUpdate: status === 'pending' ? 'tool_call' : 'tool_call_update', toolCallId: 'own' },
          ...{ status, title: step.title },
        });
      }
      return null;
    case 'ask': {
      const answer = await client.request(acp.methods.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId: 'asked', title: step.title, kind: step.kind },
        options: [
          { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
          { optionId: 'no', name: 'No', kind: 'reject_once' },
        ],
      });
      await say(`${step.title}: ${'optionId' in answer.outcome ? answer.outcome.optionId : 'cancelled'}\n`);
      return null;
    }
    case 'write_by_client': {
      const file = { sessionId, path: step.path, content: 'x' };
      const asked = client.request(acp.methods.client.fs.writeTextFile, file);
      await say(await asked.then(() => 'written', String));
      return null;
    }
    case 'print':
      process.stdout.write(step.text);
      return null;
    case 'flood':
      for (let count = 0; count < step.count; count += 1) {
        await update({ sessionUpdate: 'tool_call', toolCallId: `f${count}`, title: 'x'.repeat(10_000) });
      }
      return null;
    case 'die':
      process.exit(7);
      return null;
    case 'wait_for_cancel':
      await new Promise<void>((resolve) => {
        cancel = resolve;
      });
      return 'cancelled';
    case 'never_answer':
      return new Promise(() => undefined);
    case 'stop':
      return step.reason;
  }
}

acp
  .agent({ name: 'scripted' })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: version,
    agentCapabilities: { loadSession: process.env['ACP_LOADS'] !== 'no' },
  }))
  .onRequest(acp.methods.agent.session.new, async ({ params }) => {
    await connect(params.mcpServers);
    return { sessionId: 'one' };
  })
  .onRequest(acp.methods.agent.session.load, async ({ params, client }) => {
    await connect(params.mcpServers);
    const update = {
      ...{ sessionUpdate: 'agent_message_chunk' as const },
      content: { type: 'text' as const, text: 'of the history' },
    };
    await client.notify(acp.methods.client.session.update, { sessionId: params.sessionId, update });
    return {};
  })
  .onRequest(acp.methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const turn = begun();
    writeFileSync(turnsFile, String(turn + 1));
    const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    for (const step of script[turn] ?? []) {
      const stopReason = await run(step, sessionId, client, text);
      if (stopReason !== null) {
        return { stopReason };
      }
    }
    return { stopReason: 'end_turn' };
  })
  .onNotification(acp.methods.agent.session.cancel, () => cancel())
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
