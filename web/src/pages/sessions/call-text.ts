/** How a tool call ended, for people. Pure. */
import type { ToolCall } from '../../api/types.ts';

export const callOutcomeText: Record<ToolCall['outcome'], { label: string; color: string; meaning: string }> =
  {
    ok: { label: 'done', color: 'green', meaning: 'The server carried it out.' },
    tool_error: {
      label: 'tool error',
      color: 'orange',
      meaning: 'The tool returned an error.',
    },
    protocol_error: {
      label: 'protocol error',
      color: 'orange',
      meaning: 'The server returned an error, or an answer that did not reach the agent.',
    },
    permission_required: {
      label: 'not permitted',
      color: 'red',
      meaning: 'No grant covered it: the call never reached the server.',
    },
    waiting: {
      label: 'waits for a sign-in',
      color: 'blue',
      meaning: 'The session’s operator has to sign in to the server; the agent makes the call again then.',
    },
    refused: {
      label: 'refused',
      color: 'red',
      meaning: 'The gate refused it: the call never reached the server.',
    },
    server_unavailable: {
      label: 'server unavailable',
      color: 'orange',
      meaning: 'The server could not be reached.',
    },
    cancelled: {
      label: 'cancelled',
      color: 'gray',
      meaning: 'The agent cancelled it before a response arrived.',
    },
    unknown: {
      label: 'no response',
      color: 'gray',
      meaning: 'No response arrived before the session or the server ended, or in time.',
    },
  };
