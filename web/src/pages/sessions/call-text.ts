/** How a tool call ended, for people. Pure. */

import type { ToolCall } from '../../api/types.ts';
import type { Tone } from '../../text/tone.ts';

export const callOutcomeText: Record<ToolCall['outcome'], { label: string; tone: Tone; meaning: string }> = {
  ok: { label: 'done', tone: 'ok', meaning: 'The server carried it out.' },
  tool_error: {
    label: 'tool error',
    tone: 'fail',
    meaning: 'The tool returned an error.',
  },
  protocol_error: {
    label: 'server error',
    tone: 'fail',
    meaning: 'The server returned an error, or an answer that did not reach the agent.',
  },
  permission_required: {
    label: 'refused at the gate',
    tone: 'refused',
    meaning: 'No grant covered it. It did not reach the server.',
  },
  waiting: {
    label: 'waits for a sign-in',
    tone: 'wait',
    meaning: 'The session’s operator has to sign in to the server; the agent makes the call again then.',
  },
  refused: {
    label: 'refused',
    tone: 'refused',
    meaning: 'A rule of the gate refused it. It did not reach the server.',
  },
  server_unavailable: {
    label: 'server unavailable',
    tone: 'fail',
    meaning: 'The server could not be reached.',
  },
  cancelled: {
    label: 'cancelled',
    tone: 'idle',
    meaning: 'The agent cancelled it before a response arrived.',
  },
  unknown: {
    label: 'no response',
    tone: 'idle',
    meaning: 'No response arrived before the session or the server ended, or in time.',
  },
};

/** Of these the gate let none pass: their duration is that of a decision. */
const neverMade = new Set<ToolCall['outcome']>(['permission_required', 'refused']);

export const reachedNoServer = ({ outcome }: Pick<ToolCall, 'outcome'>): boolean => neverMade.has(outcome);

/** The calls that were read so far; `isPart` where there are earlier ones. */
export interface CallCount {
  calls: readonly Pick<ToolCall, 'outcome'>[];
  isPart: boolean;
}

/** "8 calls" and ", 1 refused"; empty where there is none. */
export function callCountTexts({ calls, isPart }: CallCount): { all: string; refused: string } {
  const more = isPart ? '+' : '';
  const refused = calls.filter(reachedNoServer).length;
  const all = calls.length === 1 && !isPart ? '1 call' : `${calls.length}${more} calls`;
  return {
    all: calls.length === 0 ? '' : all,
    refused: refused === 0 ? '' : `, ${refused}${more} refused`,
  };
}
