/** Many workers that grant, revoke and call concurrently, and the answers that they got. */
import { randomUUID } from 'node:crypto';
import { GrantHistory, type RecordedCall, type RecordedGrant } from './grant-history.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What the workers play against. */
export interface Stage {
  /**
   * Each group is the sessions of one agent; the groups take turns, so that no agent holds too many grants.
   */
  groups: string[][];
  grant(grant: RecordedGrant): Promise<unknown>;
  /** Whether the revoke changed anything; null where the answer does not say. */
  revoke(grantId: string): Promise<boolean | null>;
  /** Of a call that is checked again, it is unknown whether it was forwarded. */
  check(call: RecordedCall, options: { unforwarded: boolean }): Promise<{ grantId: string } | null>;
  /** Resolves once that time is over. Without it no grant ends by itself. */
  isOver?(at: string): Promise<void>;
}

interface Play {
  operations: number;
  workers: number;
  random: SeededRandom;
  /** Letters that are unique among the plays against the same stage. */
  name: string;
  /** Calls are checked again under their id; true by default. */
  repeats?: boolean;
}

/**
 * Few permissions at a time, so that the workers contend; each is dropped after a while, so that
 * its history stays short.
 */
const operationsPerRound = 500;
const recentCalls = 8;

export async function playOnGrants(
  stage: Stage,
  { operations, workers, random, name, repeats = true }: Play,
): Promise<GrantHistory> {
  const history = new GrantHistory();
  let begun = 0;
  const calls = new Map<string, RecordedCall[]>();
  const ends: Promise<void>[] = [];
  const check = (call: RecordedCall, unforwarded = false) =>
    history.check(call, () => stage.check(call, { unforwarded }));
  const step = () => {
    const round = Math.floor(begun / operationsPerRound);
    const where = random.pick(permissionsOfRound(name, round));
    const sessions = stage.groups[round % stage.groups.length] ?? [];
    const dice = random.below(100);
    const known = history.known(where);
    const recent = calls.get(where) ?? [];
    if (dice < 5) {
      const isOver = stage.isOver?.bind(stage);
      const grant = newGrant(where, sessions, random, isOver !== undefined);
      const { expiresAt } = grant;
      if (expiresAt !== null && isOver !== undefined) {
        ends.push(history.end(grant.id, () => isOver(expiresAt)));
      }
      return history.grant(grant, () => stage.grant(grant));
    }
    if (dice < 18 && known.length > 0) {
      const { id } = random.pick(known.slice(-3));
      return history.revoke(id, () => stage.revoke(id));
    }
    if (repeats && dice < 38 && recent.length > 0) {
      return check(random.pick(recent), true);
    }
    const call = { callId: randomUUID(), sessionId: random.pick(sessions), permission: where };
    calls.set(where, [...recent, call].slice(-recentCalls));
    return check(call);
  };
  const work = async () => {
    while (begun < operations) {
      begun += 1;
      await step();
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  await Promise.all(ends);
  return history;
}

/**
 * The permissions that a play of this name and length is about, by round; the groups of sessions
 * take the rounds in turn.
 */
export function permissionsOf(name: string, operations: number): string[][] {
  const rounds = Math.ceil(operations / operationsPerRound) + 1;
  return Array.from({ length: rounds }, (_, round) => permissionsOfRound(name, round));
}

const permissionsOfRound = (name: string, round: number) =>
  ['read', 'write', 'move', 'remove'].map((verb) => `${name}.${lettersOf(round)}.${verb}`);

/** A scope is written in letters only. */
function lettersOf(number: number): string {
  return [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}

function newGrant(
  permission: string,
  sessions: string[],
  random: SeededRandom,
  mayEnd: boolean,
): RecordedGrant {
  const scope = random.pick(['once', 'once', 'once', 'session', 'persistent'] as const);
  const sessionId = scope === 'session' ? random.pick(sessions) : null;
  const endsInMs = mayEnd && scope === 'persistent' && random.below(2) === 0 ? random.below(400) : null;
  const expiresAt = endsInMs === null ? null : new Date(Date.now() + endsInMs).toISOString();
  return { id: randomUUID(), scope, permission, sessionId, holder: random.pick(sessions), expiresAt };
}
