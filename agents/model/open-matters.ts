/**
 * What people and other sessions still owe this agent, and what it knows already. A decision, and an answer,
 * come twice: as the result of the call that waited, and as a message. Told twice, a model would make the
 * approved call a second time.
 */
import * as z from 'zod';
import type { InputMessage } from '../../contract/agent-contract.ts';
import { jsonOrNull } from '../../contract/json-or-null.ts';

import type { RunStep } from './run-step.ts';
import { platformTool } from './tool-names.ts';

export interface OpenMatters {
  /** Of each step, in their order. */
  take(step: RunStep): void;
  /** Of a message that is about to be given to the model. */
  takeMessage(message: InputMessage): void;
  /** `later`: a call waits whose result may say the same. `known`: a result said it. */
  judge(message: InputMessage): 'now' | 'later' | 'known';
  /** Whether a decision, an answer or the end of another session is still to come. */
  isWaiting(): boolean;
  /** Whether the model said that the session is over. */
  hasEnded(): boolean;
}

const askingTools = [platformTool('request_permission'), platformTool('request_input')];
const requestResult = z.object({ request_id: z.string(), status: z.string() });
const inputResult = z.object({ input_request_id: z.string(), answer: z.string().optional() });
const childResult = z.object({ session_id: z.string() });

export function createOpenMatters(): OpenMatters {
  const calls = new Map<string, string>();
  const open = new Set<string>();
  const known = new Set<string>();
  let ended = false;

  const settle = (id: string, isSettled: boolean) => {
    if (isSettled) {
      known.add(id);
      open.delete(id);
    } else if (!known.has(id)) {
      open.add(id);
    }
  };
  const takeResult = (tool: string, text: string) => {
    const value = jsonOrNull(text);
    const request = requestResult.safeParse(value).data;
    const input = inputResult.safeParse(value).data;
    const child = childResult.safeParse(value).data;
    switch (tool) {
      case platformTool('request_permission'):
      case platformTool('request_grant'):
        return request && settle(request.request_id, !['pending', 'sent'].includes(request.status));
      case platformTool('request_input'):
        return input && settle(input.input_request_id, input.answer !== undefined);
      case platformTool('spawn_session'):
        return child && settle(child.session_id, false);
      case platformTool('end_session'):
        ended = true;
        return;
    }
  };

  return {
    take(step) {
      if (step.type === 'call') {
        calls.set(step.id, step.tool);
      }
      if (step.type === 'result') {
        const tool = calls.get(step.id);
        calls.delete(step.id);
        if (tool !== undefined && !step.failed) {
          takeResult(tool, step.text);
        }
      }
      if (step.type === 'turn_ended') {
        // A call of a turn that broke off has no result.
        calls.clear();
      }
    },
    takeMessage(message) {
      const id = matterOf(message);
      if (id !== null) {
        settle(id, true);
      }
    },
    judge(message) {
      const id = matterOf(message);
      if (id === null || message.kind === 'child_ended') {
        return 'now';
      }
      if (known.has(id)) {
        return 'known';
      }
      return [...calls.values()].some((tool) => askingTools.includes(tool)) ? 'later' : 'now';
    },
    isWaiting: () => open.size > 0,
    hasEnded: () => ended,
  };
}

/** What a message settles; null for one that settles nothing. */
function matterOf({ kind, decision, input_request_id, sender }: InputMessage): string | null {
  switch (kind) {
    case 'permission_decision':
      return decision?.request_id ?? null;
    case 'input_answer':
      return input_request_id;
    case 'child_ended':
      return sender?.session_id ?? null;
    default:
      return null;
  }
}
