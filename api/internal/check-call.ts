import type { Logger } from 'pino';
import type * as z from 'zod';
import { digestOfCall } from '../../contract/call-digest.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import type { CheckAnswer, checkRequest, checksAnswer } from '../../contract/sidecar.ts';
import type { Db } from '../../store/database.ts';
import { checkAndConsume } from '../../store/grants/check-and-consume.ts';
import { checkStanding } from '../../store/grants/check-standing.ts';
import { checkShown } from '../../store/tool-definitions/check-shown.ts';
import type { Sidecar } from '../route.ts';

type Check = z.infer<typeof checkRequest>;

interface CheckDependencies {
  db: Db;
  callDigestKey: Buffer;
}

/**
 * Whether a call may pass now (docs/grants.md#the-check-of-a-call). Which scope the tool needs comes
 * from the frozen configuration, not from the caller; the built-in `platform` server is ungated. A
 * call passes on a grant only while its session is open, so that is read only for the others; it
 * throws what `requireOpen` throws.
 */
export async function checkCall(
  { db, callDigestKey }: CheckDependencies,
  { sessionId, requireOpen }: Sidecar,
  check: Check,
): Promise<CheckAnswer> {
  const [changed] = await refuseChanged(db, sessionId, [check]);
  const answer = changed?.answer ?? (await decide({ db, callDigestKey }, sessionId, check));
  if (answer.decision === 'refused' || answer.granted_via === null) {
    await requireOpen();
  }
  return answer;
}

/** Refused calls are answered together within that time. */
const refusalsLimitMs = 500;

/**
 * The same for several calls of a session. What a standing grant covers passes in one statement, and is
 * answered at once. Only where it covers none, calls are decided on one after the other in their order, so
 * that the first gets a `once` grant: up to the first that passes, or for `limitMs`. So no allowance waits
 * for another call to be decided on, and grows old. Calls without an answer are asked about again; at least
 * one is answered. A call whose check fails is refused by itself. Calls of changed tools are refused before
 * all that, so that they use up no grant.
 */
export async function checkCalls(
  {
    db,
    log,
    callDigestKey,
    limitMs = refusalsLimitMs,
  }: CheckDependencies & { log: Logger; limitMs?: number },
  { sessionId, requireOpen }: Sidecar,
  checks: readonly Check[],
): Promise<z.infer<typeof checksAnswer>> {
  const changed = await refuseChanged(db, sessionId, checks);
  if (changed.length > 0) {
    await requireOpen();
    return { answers: changed };
  }
  const asked = checks.map(({ call_id: callId, server, tool, unforwarded }) => ({
    callId,
    server,
    tool,
    unforwarded: unforwarded === true,
  }));
  const passed = await checkStanding(db, sessionId, asked);
  if (passed.size > 0) {
    const answered = [...passed].map(([call_id, granted_via]) => ({
      call_id,
      answer: { decision: 'allowed' as const, granted_via },
    }));
    return { answers: answered };
  }
  await requireOpen();
  const answers = [];
  const startedAtMs = performance.now();
  for (const check of checks) {
    const answer = await decide({ db, callDigestKey }, sessionId, check).catch((error: unknown) =>
      refusalOf(error, sessionId, log),
    );
    answers.push({ call_id: check.call_id, answer });
    if (answer.decision === 'allowed' || performance.now() - startedAtMs >= limitMs) {
      break;
    }
  }
  return { answers };
}

/**
 * Refusals of those calls whose tools are not as an admin accepted them. Asks nothing where the sidecar says
 * that no call depends on it.
 */
async function refuseChanged(
  db: Db,
  sessionId: string,
  checks: readonly Check[],
): Promise<{ call_id: string; answer: CheckAnswer }[]> {
  const calls = checks.flatMap(({ call_id: callId, server, tool, shown }) =>
    shown === undefined ? [] : [{ callId, server, tool, shown }],
  );
  if (calls.length === 0) {
    return [];
  }
  const accepted = await checkShown(db, sessionId, calls);
  return calls
    .filter(({ callId }) => !accepted.has(callId))
    .map(({ callId }) => ({
      call_id: callId,
      answer: { decision: 'refused', code: 'tool_changed', scope: null },
    }));
}

async function decide(
  { db, callDigestKey }: CheckDependencies,
  sessionId: string,
  { call_id: callId, server, tool, call_sha256: sha256, unforwarded }: Check,
): Promise<CheckAnswer> {
  if (server === platformServerName) {
    return { decision: 'allowed', granted_via: null };
  }
  const digest = sha256 === undefined ? null : digestOfCall(callDigestKey, sha256);
  return checkAndConsume(db, { callId, sessionId, server, tool, digest, unforwarded: unforwarded === true });
}

function refusalOf(error: unknown, sessionId: string, log: Logger): CheckAnswer {
  const kind = error instanceof Error ? error.name : typeof error;
  log.error({ session_id: sessionId, kind }, 'a call of a batch could not be checked, so it is refused');
  return { decision: 'refused', code: 'gate_unavailable', scope: null };
}
