/** Grants in plain words. Names of others are shown beside these words, never inside. */

import type { Grant, GrantInput } from '../../api/types.ts';
import type { Tone } from '../../text/tone.ts';

export type GrantType = GrantInput['grant_type'];
export type GrantScope = Grant['scope'];
export type GrantState = Grant['state'];
export type GrantWarning = Grant['warnings'][number];
export type RevocationCause = NonNullable<Grant['revocation_cause']>;

export const typeLabel: Record<GrantType, string> = {
  tool_scope: 'Call gated tools',
  spawn: 'Start an agent',
  agent_env: 'Read a secret',
  model_key: 'Use a model key',
};

/**
 * Null for what this version does not know: a grant that does not fit its type can still be seen and revoked.
 */
export const knownType = (type: string): GrantType | null => {
  const known = Object.keys(typeLabel) as GrantType[];
  return known.find((name) => name === type) ?? null;
};

export function labelOfType(type: string): string {
  const known = knownType(type);
  return known === null ? `Unknown type ${type}` : typeLabel[known];
}

export const typeMeaning: Record<GrantType, string> = {
  tool_scope: 'Call the tools that need one scope of the catalog.',
  spawn: 'Start sessions of another agent.',
  agent_env:
    'Get a secret in the agent’s environment, where the agent can read it. Prefer giving it to an MCP server.',
  model_key: 'Ask a language model with a secret as the key. The agent cannot read the key.',
};

export const grantStateLabel: Record<GrantState, string> = {
  active: 'Active',
  consumed: 'Used up',
  revoked: 'Revoked',
  expired: 'Expired',
};

export const grantStateTone: Record<GrantState, Tone> = {
  active: 'ok',
  consumed: 'idle',
  revoked: 'idle',
  expired: 'idle',
};

export const grantStateMeaning: Record<GrantState, string> = {
  active: 'In effect.',
  consumed: 'It was for one use and has been used.',
  revoked: 'No longer in effect.',
  expired: 'Its session has ended or its time is over, so it is no longer in effect.',
};

export const scopeLabel: Record<GrantScope, string> = {
  once: 'Once',
  session: 'One session',
  persistent: 'Until revoked',
};

/** How far it reaches, narrowest first. */
export const widthLabel = {
  exact_call: 'This call only',
  once: 'One call, any arguments',
  session: 'This session',
  until: 'Until a date',
  persistent: 'Until revoked',
} as const;
export type GrantWidth = keyof typeof widthLabel;

export function widthOf({
  scope,
  exact_call: isExact,
  expires_at: ends,
}: Pick<Grant, 'scope' | 'exact_call' | 'expires_at'>): GrantWidth {
  if (scope === 'once') {
    return isExact ? 'exact_call' : 'once';
  }
  return scope === 'session' ? 'session' : ends === null ? 'persistent' : 'until';
}

/** When it ends, where nothing else says so. */
export const endOfWidth: Record<GrantWidth, string> = {
  exact_call: 'when used',
  once: 'when used',
  session: 'with its session',
  until: '',
  persistent: 'never',
};

const unusedAfterMs = 90 * 24 * 3600 * 1000;
const soonMs = 7 * 24 * 3600 * 1000;

/** Neither used nor made in the last 90 days, and active. */
export const isUnused = (
  { state, last_used_at: used, granted_at: made }: Pick<Grant, 'state' | 'last_used_at' | 'granted_at'>,
  nowMs: number,
): boolean => state === 'active' && nowMs - Date.parse(used ?? made) > unusedAfterMs;

export const endsSoon = (
  { state, expires_at: at }: Pick<Grant, 'state' | 'expires_at'>,
  nowMs: number,
): boolean => state === 'active' && at !== null && Date.parse(at) - nowMs < soonMs;

const scopeMeanings: Record<GrantType, Record<GrantScope, string>> = {
  tool_scope: {
    once: 'The first call that needs it uses it up.',
    session: 'Every such call in one session, until that session ends.',
    persistent: 'Every such call in every session, from now on, until someone revokes it.',
  },
  spawn: {
    once: 'The first session that is started uses it up.',
    session: 'Any number of sessions, until the session that starts them ends.',
    persistent: 'Any number of sessions, from now on, until someone revokes it.',
  },
  agent_env: {
    once: 'The next session of the agent starts with the secret; later ones do not.',
    session: 'For one session.',
    persistent: 'Every session of the agent starts with the secret, until someone revokes it.',
  },
  model_key: {
    once: 'The next session of the agent uses the key until it ends; later ones do not.',
    session: 'For one session.',
    persistent: 'Every session of the agent uses the key, until someone revokes it.',
  },
};

export function scopeMeaning(type: string, scope: GrantScope): string {
  const known = knownType(type);
  return known === null ? '' : scopeMeanings[known][scope];
}

/** How long a grant is in effect; one that is bound to a call waits for that call. */
export const durationMeaning = ({
  grant_type: type,
  scope,
  exact_call: isExact,
}: Pick<Grant, 'grant_type' | 'scope' | 'exact_call'>): string =>
  isExact ? 'Only the call that was approved uses it up.' : scopeMeaning(type, scope);

/**
 * Scopes that make sense for a type: what leads to a secret is looked at before there is a session to name.
 */
export const scopesOf = (type: GrantType): GrantScope[] =>
  type === 'agent_env' || type === 'model_key' ? ['once', 'persistent'] : ['once', 'session', 'persistent'];

/** What stops at once when it is revoked, and what does not. */
const revokeMeanings: Record<GrantType, readonly string[]> = {
  tool_scope: [
    'From now on it allows no calls. A call that was already sent to its server is not undone.',
    'Other grants of the same scope stay active: check the list.',
  ],
  spawn: [
    'From now on no session can be started with it.',
    'Sessions that were already started keep running: end them one by one.',
  ],
  agent_env: [
    'Sessions that start from now on do not get the secret.',
    'Running sessions keep the secret: end them, and replace it if it may have leaked.',
  ],
  model_key: [
    'Running sessions can send no more requests to the model; an answer that has begun is not stopped.',
    'Sessions that start from now on are refused while the agent has model access with this key.',
  ],
};

export function revokeMeaning(type: string): readonly string[] {
  const known = knownType(type);
  return known === null ? [] : revokeMeanings[known];
}

const matterField: Record<GrantType, string> = {
  tool_scope: 'scope',
  spawn: 'child_agent_id',
  agent_env: 'secret_name',
  model_key: 'secret_name',
};

/** The part of the details that names what is granted. */
export function matterOf({ grant_type: type, details }: Pick<Grant, 'grant_type' | 'details'>): string {
  const known = knownType(type);
  const value = known === null ? null : details[matterField[known]];
  return typeof value === 'string' ? value : '(unreadable)';
}

/** Of the key of a model: the one endpoint that it is for; null of anything else. */
export function endpointOf({
  grant_type: type,
  details,
}: Pick<Grant, 'grant_type' | 'details'>): string | null {
  const endpoint = details['endpoint'];
  return type === 'model_key' && typeof endpoint === 'string' ? endpoint : null;
}

/** "Never used", "Used once", "Used 12 times"; the platform stops counting at 1000. */
export function usesText(count: number): string {
  if (count === 0) {
    return 'Never used';
  }
  return count === 1 ? 'Used once' : `Used ${count >= 1000 ? 'at least ' : ''}${count} times`;
}

const revocationTexts: Record<RevocationCause, string> = {
  by_hand: '',
  member_removed: ', who removed its holder from the workspace',
  agent_archived: ', who archived its agent, or the one that it let an agent start',
  workspace_closed: ', who closed the workspace',
  agent_changed: ', who changed its agent or what is attached to it without the right to make this grant',
};

/** Continues a sentence after the person's name; empty for a plain revocation. */
export function revocationText(cause: RevocationCause | null): string {
  return cause === null ? '' : revocationTexts[cause];
}

const warningTexts: Record<string, string> = {
  needs_admin:
    'A catalog entry reserves its scope for admins, and a member created it: it has no effect. An admin can create it again.',
  not_orchestrator:
    'Only agents of the kind “orchestrator” start others, and its holder is none: it has no effect now.',
  not_startable:
    'No session can start its agent, which is archived, removed or has a remote server: it has no effect now.',
  own_sign_in:
    'People sign in to a server whose tools need its scope: for those tools it counts only in sessions of the person who created it.',
  unknown_scope: 'No tool in the catalog needs its scope: it has no effect now.',
  unreadable_details: 'Its details do not match its type: it has no effect. An admin can revoke it.',
};

/** Why an active grant does not do what it says. */
export const warningText = ({ code, message }: GrantWarning): string => warningTexts[code] ?? message;

/** As many ids as one request takes. */
const batchSize = 50;

export const inBatches = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, at) =>
    ids.slice(at * batchSize, (at + 1) * batchSize),
  );
