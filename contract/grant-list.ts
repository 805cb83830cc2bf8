/** What lists of grants are narrowed down by, and what is said before and after several are revoked. */
import * as z from 'zod';
import { named, uuid } from './names.ts';

/** How far a grant reaches, narrowest first. `until`: a `persistent` one with an end. */
export const grantWidth = z.enum(['exact_call', 'once', 'session', 'until', 'persistent']);
export type GrantWidth = z.infer<typeof grantWidth>;

/** So many grants are looked at, or revoked, by one request. */
export const mostRevokedTogether = 50;

/** So many of the sessions that run under a grant are named. */
export const mostSessionsNamed = 5;

/** The sessions that have not ended and used the grant, or are what it is for: those that one may read. */
export const sessionsUnder = z.strictObject({
  running_count: z.int().min(0),
  running_sessions: z
    .array(z.strictObject({ id: uuid, title: z.string(), agent: named }))
    .max(mostSessionsNamed),
});
export type SessionsUnder = z.infer<typeof sessionsUnder>;

/**
 * `already_ended`: it was consumed, expired or revoked before. `refused`: the caller may not revoke it.
 * `not_found`: the workspace has no such grant. `failed`: it could not be revoked now, and is as it was.
 */
export const revocationOutcome = z.enum(['revoked', 'already_ended', 'refused', 'not_found', 'failed']);
export const revocationResult = z.strictObject({
  grant_id: uuid,
  outcome: revocationOutcome,
  /** Why it was refused. */
  reason: z.string().nullable(),
});
export type RevocationResult = z.infer<typeof revocationResult>;
