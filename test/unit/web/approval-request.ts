/** A request for a scope, the call that was refused before it, and the narrowest answer. */
import type { Choice } from '../../../web/src/pages/approvals/choices.ts';

export const request = {
  id: 'r',
  session_id: 's',
  agent_id: 'a',
  operator: { id: 'o', name: 'Max' },
  grant_type: 'tool_scope' as const,
  details: { scope: 'files.write' },
  refused_call: null,
};
export const digest = 'a'.repeat(64);
export const refused_call = { server: 'files', tool: 'write_file', digest, arguments_size_bytes: 31 };

export const onceForAgent: Choice = { reach: 'once', holder: 'agent' };
export const mine = { operatorIsMe: true };
