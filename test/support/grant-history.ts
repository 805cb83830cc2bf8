/**
 * What happened to grants while calls, revokes and new grants overlapped, and whether
 * a boundary may behave so.
 *
 * Every operation speaks about single grants, so that each grant has a history of its own
 * (linearizability is local): a call that passed used one grant, and found those that it should have
 * preferred out of force; a call that was refused found every grant that fits it out of force at some
 * moment while it was being checked.
 */
import { findContradiction, type SequentialModel, type Timed } from './linearizability.ts';

export interface RecordedGrant {
  id: string;
  scope: 'once' | 'session' | 'persistent';
  /** Must be equal for a call to match; for a grant of one session, that session must be, too. */
  permission: string;
  sessionId: string | null;
  /** A session of the agent that holds it. */
  holder: string;
  /** When it ends by itself; null for never. */
  expiresAt: string | null;
}

export interface RecordedCall {
  callId: string;
  sessionId: string;
  permission: string;
}

type Event =
  | { kind: 'grant'; grant: RecordedGrant }
  | { kind: 'revoke'; grantId: string; changed: boolean | null }
  | { kind: 'end'; grantId: string }
  | { kind: 'check'; call: RecordedCall; grantId: string | null };

type GrantOperation =
  | { kind: 'grant' }
  /** `changed` is null when the answer does not say. */
  | { kind: 'revoke'; changed: boolean | null }
  | { kind: 'end' }
  | { kind: 'use'; callId: string }
  | { kind: 'not in force'; callId: string };

/** `absent`, `active`, `revoked`, `ended`, or the call that consumed it. */
type GrantState = string;

const modelOf = (scope: RecordedGrant['scope']): SequentialModel<GrantState, GrantOperation> => ({
  initial: 'absent',
  apply(state, operation) {
    switch (operation.kind) {
      case 'grant':
        return state === 'absent' ? 'active' : null;
      case 'revoke':
        return revokeIn(state, operation.changed);
      case 'end':
        return state === 'absent' ? null : state === 'active' ? 'ended' : state;
      case 'use':
        return useIn(state, scope, operation.callId);
      case 'not in force':
        return state === 'active' || state === operation.callId ? null : state;
    }
  },
  isRead: (operation) =>
    operation.kind === 'not in force' ||
    (operation.kind === 'revoke' && operation.changed === false) ||
    (operation.kind === 'use' && scope !== 'once'),
});

function revokeIn(state: GrantState, changed: boolean | null): GrantState | null {
  const changes = state === 'active';
  return changed === null || changed === changes ? (changes ? 'revoked' : state) : null;
}

/** A repeated call passes on the grant that it consumed; any other call finds it consumed. */
function useIn(state: GrantState, scope: RecordedGrant['scope'], callId: string): GrantState | null {
  if (state === 'active') {
    return scope === 'once' ? callId : state;
  }
  return scope === 'once' && state === callId ? state : null;
}

export class GrantHistory {
  readonly #events: Timed<Event>[] = [];
  readonly #known = new Map<string, RecordedGrant[]>();
  #clock = 0;

  get operations(): number {
    return this.#events.length;
  }

  counts() {
    const count = (predicate: (event: Event) => boolean) =>
      this.#events.filter(({ operation }) => predicate(operation)).length;
    return {
      passed: count((event) => event.kind === 'check' && event.grantId !== null),
      refused: count((event) => event.kind === 'check' && event.grantId === null),
      revoked: count((event) => event.kind === 'revoke' && event.changed === true),
      ended: count((event) => event.kind === 'end'),
      tooLate: count((event) => event.kind === 'revoke' && event.changed === false),
    };
  }

  /** Grants that are already known: one that is being written counts once its writing is answered. */
  known(permission: string): RecordedGrant[] {
    return this.#known.get(permission) ?? [];
  }

  async grant(grant: RecordedGrant, work: () => Promise<unknown>): Promise<void> {
    await this.#record(work, () => ({ kind: 'grant', grant }));
    this.#known.set(grant.permission, [...this.known(grant.permission), grant]);
  }

  revoke(grantId: string, work: () => Promise<boolean | null>): Promise<void> {
    return this.#record(work, (changed) => ({ kind: 'revoke', grantId, changed }));
  }

  /** `work` begins before the grant's time is over, and is answered after. */
  end(grantId: string, work: () => Promise<unknown>): Promise<void> {
    return this.#record(work, () => ({ kind: 'end', grantId }));
  }

  check(call: RecordedCall, work: () => Promise<{ grantId: string } | null>): Promise<void> {
    return this.#record(work, (use) => ({ kind: 'check', call, grantId: use?.grantId ?? null }));
  }

  async #record<Answer>(work: () => Promise<Answer>, asEvent: (answer: Answer) => Event): Promise<void> {
    const calledAt = this.#clock++;
    const answer = await work();
    this.#events.push({ operation: asEvent(answer), calledAt, answeredAt: this.#clock++ });
  }

  /** What no boundary that keeps its promise could have done, as readable lines; empty when all is well. */
  violations(): string[] {
    const grants = this.#events.flatMap(({ operation }) =>
      operation.kind === 'grant' ? [operation.grant] : [],
    );
    const byGrant = this.#operationsByGrant(grants);
    const known = new Set(grants.map(({ id }) => id));
    const strangers = [...byGrant.keys()].filter((id) => !known.has(id));
    return [
      ...strangers.map((id) => `a call passed on ${id}, which is no grant that fits it`),
      ...this.#callsOnTwoGrants(),
      ...grants.flatMap((grant) => contradictionOf(grant, byGrant.get(grant.id) ?? [])),
    ];
  }

  #operationsByGrant(grants: RecordedGrant[]): Map<string, Timed<GrantOperation>[]> {
    const byPermission = new Map<string, RecordedGrant[]>();
    for (const grant of grants) {
      byPermission.set(grant.permission, [...(byPermission.get(grant.permission) ?? []), grant]);
    }
    const calls = this.#checksByCall();
    const byGrant = new Map<string, Timed<GrantOperation>[]>();
    for (const { operation, calledAt, answeredAt } of this.#events) {
      for (const [id, own] of splitByGrant(operation, byPermission, calls)) {
        const list = byGrant.get(id) ?? [];
        byGrant.set(id, list);
        list.push({ operation: own, calledAt, answeredAt });
      }
    }
    return byGrant;
  }

  #checksByCall(): Map<string, CallChecks> {
    const calls = new Map<string, CallChecks>();
    for (const { operation } of this.#events) {
      if (operation.kind === 'check') {
        const { callId } = operation.call;
        const checks = calls.get(callId) ?? { count: 0, passedOn: new Set() };
        calls.set(callId, checks);
        checks.count += 1;
        if (operation.grantId !== null) {
          checks.passedOn.add(operation.grantId);
        }
      }
    }
    return calls;
  }

  #callsOnTwoGrants(): string[] {
    return [...this.#checksByCall()]
      .filter(([, { passedOn }]) => passedOn.size > 1)
      .map(([callId, { passedOn }]) => `the call ${callId} passed on ${[...passedOn].join(' and on ')}`);
  }
}

interface CallChecks {
  count: number;
  passedOn: Set<string>;
}

function* splitByGrant(
  event: Event,
  byPermission: ReadonlyMap<string, RecordedGrant[]>,
  calls: ReadonlyMap<string, CallChecks>,
): Generator<[grantId: string, GrantOperation]> {
  if (event.kind === 'grant') {
    yield [event.grant.id, { kind: 'grant' }];
    return;
  }
  if (event.kind === 'revoke') {
    yield [event.grantId, { kind: 'revoke', changed: event.changed }];
    return;
  }
  if (event.kind === 'end') {
    yield [event.grantId, { kind: 'end' }];
    return;
  }
  const { call, grantId } = event;
  const { callId } = call;
  const { count, passedOn } = calls.get(callId) ?? { count: 1, passedOn: new Set() };
  const fitting = (byPermission.get(call.permission) ?? []).filter((grant) => fits(grant, call));
  const used = fitting.find(({ id }) => id === grantId);
  if (grantId !== null) {
    yield [used === undefined ? `${grantId} of another` : grantId, { kind: 'use', callId }];
  }
  for (const { id, scope } of fitting) {
    const isOverlooked =
      grantId === null
        ? // A call that has passed is bound to the grant that it passed on, also when it is checked again.
          passedOn.size === 0 || passedOn.has(id)
        : // A `once` grant may be used only when no lasting grant is in force.
          count === 1 && used?.scope === 'once' && scope !== 'once';
    if (isOverlooked) {
      yield [id, { kind: 'not in force', callId }];
    }
  }
}

function fits(grant: RecordedGrant, call: RecordedCall): boolean {
  return (
    grant.permission === call.permission && (grant.sessionId === null || grant.sessionId === call.sessionId)
  );
}

function contradictionOf(grant: RecordedGrant, history: Timed<GrantOperation>[]): string[] {
  const contradiction = findContradiction(history, modelOf(grant.scope));
  if (contradiction === null) {
    return [];
  }
  const { order, stuckAt } = contradiction;
  const changes = order.filter(({ kind }) => kind !== 'not in force').slice(-3);
  return [
    `grant ${grant.id} (${grant.scope}): after ${JSON.stringify(changes)} none of ${JSON.stringify(stuckAt)} can have come`,
  ];
}
