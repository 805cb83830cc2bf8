/** What people read of a run: the model's words, and which calls it made with which outcome. Arguments and results are in the records of calls, where the workspace keeps them. */
import type { AgentEventInput } from '../../contract/agent-contract.ts';
import { maxEventTextLength } from '../../contract/session-event.ts';
import { outcomeOfResult } from '../call-outcome.ts';
import type { RunStep } from './sdk-messages.ts';
import { readableTool } from './tool-names.ts';

/** The events of each step, in their order. */
export function createStepEvents(): (step: RunStep) => AgentEventInput[] {
  const calls = new Map<string, string>();
  return (step) => {
    switch (step.type) {
      case 'started':
        return step.failedServers.map((server) => error(`The MCP server "${server}" is not connected.`));
      case 'text':
        return pieces(step.text).map((text) => ({ type: 'agent.message', payload: { text, channel: null } }));
      case 'call':
        calls.set(step.id, readableTool(step.tool));
        return [];
      case 'result': {
        const tool = calls.get(step.id) ?? 'a tool';
        calls.delete(step.id);
        return [status(`${tool}: ${step.failed ? failureOf(step.text) : 'done'}`)];
      }
      case 'retry':
        return [status(`the model ${whyRetried(step.status)}; attempt ${step.attempt} of ${step.attempts}`)];
      case 'turn_ended':
        calls.clear();
        return step.error === null ? [] : [error(step.error)];
    }
  };
}

/** The code of a refusal, which is the platform's; what a server said of its own failure stays in the record. */
function failureOf(text: string): string {
  const outcome = outcomeOfResult({ isError: true, content: [{ type: 'text', text }] });
  return outcome.ok || outcome.code === null ? 'failed' : outcome.code.slice(0, 100);
}

const whyRetried = (httpStatus: number | null) =>
  httpStatus === null ? 'did not answer' : `is not available (status ${httpStatus})`;

const status = (text: string): AgentEventInput => ({
  type: 'agent.status',
  payload: { status: text.slice(0, 500), detail: null },
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
