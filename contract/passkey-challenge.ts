/** What a passkey signs: when a person approves, the hash of the whole grant as the API will sign it. */
import { createHash } from 'node:crypto';
import type { ApprovalClaims } from './approval.ts';
import { passkeyChallengeSeconds } from './passkey.ts';

/**
 * The SHA-256, in base64url, of when the approval began and of the grant in canonical form: each member by
 * name in sorted order. API and worker compute it, each from the grant that it is about to approve or to
 * write; no client says it.
 */
export function grantChallenge(grant: ApprovalClaims['grant'], begunAt: string): string {
  return hashOf(`platform-grant-challenge/2\n${begunAt}\n${canonical(grant)}`);
}

/** Ahead of the database's clock, which began it: another machine's may have taken over since. */
const mostAheadMs = 60_000;

/** Whether an answer whose challenge began then may still count; `nowMs` by the clock that it began by. */
export function isAnsweredInTime(begunAt: string, nowMs: number): boolean {
  const ageMs = nowMs - Date.parse(begunAt);
  return ageMs >= -mostAheadMs && ageMs <= passkeyChallengeSeconds * 1000;
}

/** Of a person's registration: its id is random, and names nothing. */
export function registrationChallenge({ id, userId }: { id: string; userId: string }): string {
  return hashOf(`platform-passkey-registration/1\n${id}\n${userId}`);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) {
    return JSON.stringify(value) ?? 'null';
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}
