/** On an orderly stop no session stays running: each ends as terminated, with the reason in its record. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { listSessions, sessionDirectory } from '../../runtime/process/session-record.ts';
import { stopSession } from '../../runtime/process/stop-session.ts';
import type { Db } from '../../store/database.ts';
import { readSession, requestEnding } from '../../store/sessions/sessions.ts';
import { recordLeftCalls } from '../../store/tool-calls/record.ts';
import { messageOf } from './start-error.ts';

export interface EndSessions {
  db: Db;
  /** Where the process runtime keeps the sessions of this machine. */
  sessionsDirectory: string;
  /** Signals a session's workflow to terminate. */
  signalTerminate(sessionId: string): Promise<void>;
  progress(line: string): void;
  waitLimitMs: number;
}

/** Asks the workflows first, so that the record is right; stops what is left after `waitLimitMs` itself. */
export async function endSessions(options: EndSessions): Promise<void> {
  const { sessionsDirectory, progress } = options;
  const sessions = listSessions(sessionsDirectory);
  if (sessions.length === 0) {
    return;
  }
  progress(`Ending ${sessions.length} running ${sessions.length === 1 ? 'session' : 'sessions'}`);
  await Promise.all(
    sessions.map((id) =>
      askToEnd(options, id).catch((error) => progress(`Session ${id} was not told: ${messageOf(error)}`)),
    ),
  );
  const deadline = Date.now() + options.waitLimitMs;
  while (Date.now() < deadline && !(await allEnded(options.db, sessions))) {
    await sleep(100);
  }
  for (const id of listSessions(sessionsDirectory)) {
    await stopSession(sessionDirectory(sessionsDirectory, id), (sessionId, calls, counts) =>
      recordLeftCalls(options.db, sessionId, calls, counts),
    ).catch((error) => progress(`Session ${id} was not stopped: ${messageOf(error)}`));
  }
}

/** The record is the last thing that a session's workflow writes; its workload has ended by then. */
async function allEnded(db: Db, ids: readonly string[]): Promise<boolean> {
  const sessions = await Promise.all(ids.map((id) => readSession(db, id)));
  return sessions.every((session) => session === null || isTerminal(session.status));
}

async function askToEnd({ db, signalTerminate }: EndSessions, sessionId: string): Promise<void> {
  await requestEnding(db, sessionId, {
    by: systemActor,
    status: 'terminated',
    reason: 'The platform was stopped.',
    summary: null,
  });
  await signalTerminate(sessionId);
}
