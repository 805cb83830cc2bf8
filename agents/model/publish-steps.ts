/**
 * What people read of a run: the model's words, and which calls it made with which outcome, where the
 * platform does not know: the transcript has its records of calls beside these. Arguments and results are in
 * those records alone, where the workspace keeps them.
 */
import type { AgentEventInput } from '../../contract/agent-contract.ts';
import { maxEventTextLength } from '../../contract/session-event.ts';
import { outcomeOfResult } from '../call-outcome.ts';
import type { RunStep } from './run-step.ts';
import { isOfServer, readableTool } from './tool-names.ts';

/** The events of each step, in their order. */
export function createStepEvents(): (step: RunStep) => AgentEventInput[] {
  const calls = new Map<string, string>();
  return (step) => {
    switch (step.type) {
      case 'started':
        return step.failedServers.map((server) => error(`The MCP server "${server}" is not connected.`));
      case 'piece':
        return [];
      case 'text': {
        const mark = step.cutOff === true ? { cut_off: true as const } : {};
        return pieces(step.text).map((text) => ({
          type: 'agent.message',
          payload: { text, channel: null, ...mark },
        }));
      }
      case 'call':
        calls.set(step.id, step.tool);
        return [];
      case 'result': {
        const tool = calls.get(step.id) ?? 'a tool';
        calls.delete(step.id);
        return isRecorded(tool, step)
          ? []
          : [status(`${readableTool(tool)}: ${step.failed ? failureOf(step.text) : 'done'}`)];
      }
      case 'own_tool':
        return [status(`${ownClaim}${oneLine(step.title)}: ${step.failed ? 'failed' : 'done'}`)];
      case 'notice':
        return [status(step.text)];
      case 'problem':
        return [error(step.text)];
      case 'retry':
        return [status(`the model ${whyRetried(step.status)}; attempt ${step.attempt} of ${step.attempts}`)];
      case 'turn_ended':
        calls.clear();
        return step.error === null ? [] : [error(step.error)];
    }
  };
}

/** In front of what an agent wrote itself, so that none of it reads like the platform's words. */
const ownClaim = 'The agent says of a tool of its own: ';
const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 200);

/**
 * How the SDK begins what it answers itself, such as to a call of a tool that no server has. A server that
 * begins so has its call shown twice.
 */
const answeredBySdk = '<tool_use_error>';

/** Whether the platform got the call, whose record people see. */
const isRecorded = (tool: string, { failed, text }: { failed: boolean; text: string }): boolean =>
  isOfServer(tool) && !(failed && text.startsWith(answeredBySdk));

/**
 * The code of a refusal, which is the platform's; what a server said of its own failure stays in the record.
 */
function failureOf(text: string): string {
  const outcome = outcomeOfResult({ isError: true, content: [{ type: 'text', text }] });
  return outcome.ok || outcome.code === null ? 'failed' : outcome.code.slice(0, 100);
}

const whyRetried = (httpStatus: number | null) =>
  httpStatus === null ? 'did not answer' : `is not available (status ${httpStatus})`;

const status = (text: string): AgentEventInput => ({
  type: 'agent.status',
  payload: { status: text.slice(0, 500).toWellFormed(), detail: null },
});
const error = (text: string): AgentEventInput => ({
  type: 'agent.error',
  payload: { message: text.slice(0, maxEventTextLength).toWellFormed(), code: null, fatal: false },
});

/** A long text as several events, none cut inside a character. */
export function pieces(text: string, length: number = maxEventTextLength): string[] {
  const cut = [];
  for (let start = 0; start < text.length; ) {
    const end = Math.min(start + length, text.length);
    const splits = end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? '');
    cut.push(text.slice(start, splits ? end - 1 : end).toWellFormed());
    start = splits ? end - 1 : end;
  }
  return cut;
}
