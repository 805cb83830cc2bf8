import type { Logger } from 'pino';
import type * as z from 'zod';
import type { CheckAnswer, checkRequest, checksAnswer } from '../../../contract/sidecar.ts';
import type { Db } from '../../../store/database.ts';
import { checkAndConsume } from '../../../store/grants/check-and-consume.ts';
import { checkStanding } from '../../../store/grants/check-standing.ts';
import type { Sidecar } from '../../route.ts';

type Check = z.infer<typeof checkRequest>;

/**
 * Whether a call may pass now (docs/grants.md#the-check-of-a-call). Which scope the tool needs comes from the frozen configuration,
 * not from the caller; the built-in `platform` server is ungated. A call passes on a grant only while its session is open, so that is
 * read only for the others; it throws what `requireOpen` throws.
 */
export async function checkCall(
  db: Db,
  { sessionId, requireOpen }: Sidecar,
  check: Check,
): Promise<CheckAnswer> {
  const answer = await decide(db, sessionId, check);
  if (answer.decision === 'refused' || answer.granted_via === null) {
    await requireOpen();
  }
  return answer;
}

/**
 * The same for several calls of a session: those that a standing grant covers in one statement, then the others one after the other
 * in their order, so that the first gets a `once` grant. A call whose check fails is refused by itself.
 */
export async function checkCalls(
  { db, log }: { db: Db; log: Logger },
  { sessionId, requireOpen }: Sidecar,
  checks: readonly Check[],
): Promise<z.infer<typeof checksAnswer>> {
  const asked = checks.map(({ call_id: callId, server, tool }) => ({ callId, server, tool }));
  const passed = await checkStanding(db, sessionId, asked);
  if (passed.size < checks.length) {
    await requireOpen();
  }
  const answers = [];
  for (const check of checks) {
    const granted_via = passed.get(check.call_id);
    const answer =
      granted_via === undefined
        ? await decide(db, sessionId, check).catch((error: unknown) => refusalOf(error, sessionId, log))
        : ({ decision: 'allowed', granted_via } as const);
    answers.push({ call_id: check.call_id, answer });
  }
  return { answers };
}

async function decide(
  db: Db,
  sessionId: string,
  { call_id: callId, server, tool }: Check,
): Promise<CheckAnswer> {
  return server === 'platform'
    ? { decision: 'allowed', granted_via: null }
    : checkAndConsume(db, { callId, sessionId, server, tool });
}

function refusalOf(error: unknown, sessionId: string, log: Logger): CheckAnswer {
  const kind = error instanceof Error ? error.name : typeof error;
  log.error({ session_id: sessionId, kind }, 'a call of a batch could not be checked, so it is refused');
  return { decision: 'refused', code: 'gate_unavailable', scope: null };
}
