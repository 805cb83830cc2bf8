/** Questions that an agent asked its user with `request_input`. */
import type { Db } from '../database.ts';

/** Stores a question; idempotent by id. False when another session's question has this id. */
export async function insertInputRequest(
  db: Db,
  sessionId: string,
  input: { id: string; prompt: string; options: readonly string[] },
): Promise<boolean> {
  await db('input_requests')
    .insert({
      id: input.id,
      session_id: sessionId,
      prompt: input.prompt,
      options: JSON.stringify(input.options),
    })
    .onConflict('id')
    .ignore();
  const stored = await db('input_requests').where({ id: input.id, session_id: sessionId }).first('id');
  return stored !== undefined;
}

/** Marks the session's oldest open question as answered and returns its id; null when none is open. */
export async function answerOldestInputRequest(db: Db, sessionId: string): Promise<string | null> {
  const open = db('input_requests')
    .where({ session_id: sessionId })
    .whereNull('answered_at')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .select('id');
  const answered = await db('input_requests')
    .whereIn('id', open)
    .update({ answered_at: db.fn.now() })
    .returning('id');
  return answered[0]?.id ?? null;
}
