import type { InputMessage, MessageSender } from '../../contract/agent-contract.ts';
import type { PermissionDecision } from '../../contract/permission-request.ts';
import { type Db, hasSqlState, prepared, sqlState } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { inputRow, presentInput } from './row.ts';

export interface NewInput {
  id: string;
  kind: InputMessage['kind'];
  text: string;
  decision: PermissionDecision | null;
  inputRequestId: string | null;
  /** Of a message from another session. */
  sender?: MessageSender;
}

const addInput = `
  with known as (
    select * from session_inputs where id = $1
  ), counted as (
    update sessions set last_input_seq = last_input_seq + 1, last_activity_at = now()
    where id = $2 and not exists (select from known) returning last_input_seq
  ), written as (
    insert into session_inputs (id, session_id, seq, kind, text, decision, input_request_id, sender)
    select $1, $2, last_input_seq, $3, $4, $5, $6, $7 from counted returning *
  )
  select * from known union all select * from written`;

/** Adds a message for the agent, in order. An existing one is returned unchanged. Throws for an unknown session. */
export async function addSessionInput(db: Db, sessionId: string, input: NewInput): Promise<InputMessage> {
  const values = [
    input.id,
    sessionId,
    input.kind,
    input.text,
    input.decision === null ? null : JSON.stringify(input.decision),
    input.inputRequestId,
    input.sender === undefined ? null : JSON.stringify(input.sender),
  ];
  const add = () => readRows(prepared(db, 'add_session_input', addInput, values), inputRow);
  const [row] = await add().catch((error: unknown) => {
    // A concurrent duplicate has just written the same message.
    if (hasSqlState(error, sqlState.uniqueViolation) && !db.isTransaction) {
      return add();
    }
    throw error;
  });
  if (row?.session_id !== sessionId) {
    throw new Error(`there is no session ${sessionId}, or message ${input.id} is another session's`);
  }
  return presentInput(row);
}
