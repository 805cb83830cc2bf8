/** What was decided, and what a grant had let pass when it was revoked. Pure. */
import type { Grant, PermissionRequest } from '../../api/types.ts';
import { reachLabel, type Whose } from './choices.ts';
import type { Decision } from './decision-state.ts';

export function decidedText(
  request: Pick<PermissionRequest, 'grant_type' | 'refused_call'>,
  decision: Decision,
  whose: Whose,
): string {
  if (decision.kind === 'deny') {
    return decision.mute ? 'Denied, and the session is muted.' : 'Denied. The agent is told.';
  }
  const label = reachLabel(request, decision.choice, whose);
  return `Allowed: ${label.charAt(0).toLowerCase()}${label.slice(1)}`;
}

/** `state` and `use_count` as they are after it was revoked; null when that could not be read. */
export function revokedText(after: Pick<Grant, 'state' | 'use_count'> | null): string {
  if (after === null) {
    return 'Revoked. Whether calls had passed before could not be read.';
  }
  const { state, use_count: uses } = after;
  if (state === 'consumed') {
    return 'Too late to revoke: the call has passed.';
  }
  if (uses === 0) {
    return 'Revoked before it was used.';
  }
  return uses === 1 ? 'Revoked. One call had passed before.' : `Revoked. ${uses} calls had passed before.`;
}

/** The same of several grants, each for one call. */
export function revokedTogetherText(after: readonly (Pick<Grant, 'state' | 'use_count'> | null)[]): string {
  const [only = null] = after;
  if (after.length < 2) {
    return revokedText(only);
  }
  const passed = after.filter((grant) => grant?.state === 'consumed').length;
  const unknown = after.filter((grant) => grant === null).length;
  return [
    `Revoked ${after.length - passed - unknown} of ${after.length} before use.`,
    ...(passed === 0 ? [] : [`Too late for ${passed}: the calls have passed.`]),
    ...(unknown === 0 ? [] : [`Of ${unknown} it could not be read.`]),
  ].join(' ');
}
