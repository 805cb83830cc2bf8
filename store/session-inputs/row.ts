import { type InputMessage, inputMessage } from '../../contract/agent-contract.ts';

export interface InputRow {
  id: string;
  session_id: string;
  seq: number;
  kind: string;
  text: string;
  decision: unknown;
  input_request_id: string | null;
  at: string;
}

export function presentInput(row: InputRow): InputMessage {
  return inputMessage.parse({
    id: row.id,
    seq: row.seq,
    kind: row.kind,
    text: row.text,
    decision: row.decision,
    input_request_id: row.input_request_id,
    at: row.at,
  });
}
