/** The deterministic agent: follows the steps of its instructions, and nothing else. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import {
  describeStep,
  InstructionsError,
  parseInstructions,
  type Step,
  type WriteStep,
} from '../../contract/scripted-instructions.ts';
import { publishEvent, tellWritten } from '../sidecar-http/publish-event.ts';
import { cutText } from './cut-text.ts';
import { type InputStream, openInputStream } from './input-stream.ts';
import { runCall, type SavedValues } from './run-call.ts';
import { createToolCaller, type ToolCaller } from './tool-caller.ts';

/** Why the run ended, as one sentence; null when every step went as expected. */
type Failure = string | null;

/** Runs to the end. Returns the exit code: 0, or 1 after publishing which step failed and why. */
export async function runScriptedAgent(config: AgentConfig, sidecarSocket: string): Promise<0 | 1> {
  const tools = createToolCaller(config.mcpServers);
  const input = openInputStream(sidecarSocket);
  try {
    const failure = await runSteps(config.agent.instructions, {
      tools,
      input,
      sidecarSocket,
      saved: new Map(),
    });
    if (failure === null) {
      return 0;
    }
    await tools.call('platform.end_session', { outcome: 'failed', summary: cutText(failure, 10_000) });
    return 1;
  } finally {
    input.close();
    await tools.close();
  }
}

interface StepContext {
  tools: ToolCaller;
  input: InputStream;
  sidecarSocket: string;
  saved: SavedValues;
}

async function runSteps(instructions: string, context: StepContext): Promise<Failure> {
  let steps: Step[];
  try {
    steps = parseInstructions(instructions);
  } catch (error) {
    return error instanceof InstructionsError ? error.message : 'the instructions cannot be read';
  }
  for (const [index, step] of steps.entries()) {
    const title = `step ${index + 1} of ${steps.length} (${describeStep(step)})`;
    await publishEvent(context.sidecarSocket, {
      type: 'agent.status',
      payload: { status: title, detail: null },
    });
    const problem = await runStep(step, context);
    if (problem !== null) {
      return `${title}: ${problem}`;
    }
  }
  return null;
}

async function runStep(step: Step, { tools, input, sidecarSocket, saved }: StepContext): Promise<Failure> {
  if ('call' in step) {
    return await runCall(step, tools, saved);
  }
  if ('list_tools' in step) {
    const listing = await tools.list(step.list_tools);
    const stored = await publishArtifact(sidecarSocket, step.artifact, JSON.stringify(listing));
    return listing.outcome === 'listed' ? stored : `the tools could not be listed: ${listing.outcome}`;
  }
  if ('sleep_seconds' in step) {
    await sleep(step.sleep_seconds * 1000);
    return null;
  }
  if ('write' in step) {
    await writeMessage(sidecarSocket, step);
    return null;
  }
  const { timeout_seconds, ...wanted } = step.wait_for_message;
  const message = await input.next(wanted, timeout_seconds * 1000);
  return message ? null : `no such message came within ${timeout_seconds} s`;
}

const pieces = 8;

/** A message as a model writes it: in pieces, and then whole. */
async function writeMessage(socketPath: string, { write: text, seconds }: WriteStep): Promise<void> {
  for (let piece = 1; piece < pieces; piece += 1) {
    await tellWritten(socketPath, text.slice(0, Math.ceil((piece / pieces) * text.length)));
    await sleep((seconds / pieces) * 1000);
  }
  await publishEvent(socketPath, { type: 'agent.message', payload: { text, channel: null } });
}

/** Publishes a JSON text through `POST /artifact`. Returns null when it was accepted, else why not. */
function publishArtifact(socketPath: string, name: string, json: string): Promise<string | null> {
  return new Promise((resolve) => {
    const query = new URLSearchParams({ name, mime_type: 'application/json' });
    const headers = { 'content-type': 'application/octet-stream', 'content-length': Buffer.byteLength(json) };
    const call = request(
      { socketPath, path: `/artifact?${query}`, method: 'POST', headers, agent: false },
      (response) => {
        response.resume();
        const isTaken = response.statusCode === 200;
        response.once('close', () =>
          resolve(isTaken ? null : `the artifact was refused (status ${response.statusCode})`),
        );
      },
    );
    call.on('error', () => resolve('the sidecar did not take the artifact'));
    call.end(json);
  });
}
