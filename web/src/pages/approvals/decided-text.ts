/** What was decided, and what grants had let pass when they were revoked. Pure. */
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

/** The same of several grants, each for one call; `failures`: how many could not be revoked. */
export function revokedTogetherText(
  after: readonly (Pick<Grant, 'state' | 'use_count'> | null)[],
  failures = 0,
): string {
  const [only = null] = after;
  const count = after.length + failures;
  if (count < 2) {
    return failures === 0 ? revokedText(only) : 'Not revoked.';
  }
  const passed = after.filter((grant) => grant?.state === 'consumed').length;
  const unknown = after.filter((grant) => grant === null).length;
  return [
    `Revoked ${after.length - passed - unknown} of ${count} before use.`,
    ...(passed === 0
      ? []
      : [`Too late for ${passed}: ${passed === 1 ? 'the call has' : 'the calls have'} passed.`]),
    ...(unknown === 0
      ? []
      : [`Of ${callsText(unknown)} it is not known whether ${unknown === 1 ? 'it' : 'they'} passed.`]),
    ...(failures === 0 ? [] : [`Not revoked: ${failures}.`]),
  ].join(' ');
}

const callsText = (count: number): string => (count === 1 ? '1 call' : `${count} calls`);

/** Does each, whatever becomes of the others: what failed, in order, and why the first did. */
export async function revokeEach(
  ids: readonly string[],
  revoke: (id: string) => Promise<unknown>,
): Promise<{ revoked: string[]; failed: string[]; firstError: unknown }> {
  const revoked: string[] = [];
  const failed: string[] = [];
  let firstError: unknown = null;
  for (const id of ids) {
    try {
      await revoke(id);
      revoked.push(id);
    } catch (error) {
      firstError ??= error;
      failed.push(id);
    }
  }
  return { revoked, failed, firstError };
}
