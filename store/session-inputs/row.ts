import * as z from 'zod';
import { type InputMessage, inputMessage } from '../../contract/agent-contract.ts';

export const inputRow = z.object({
  id: z.string(),
  session_id: z.string(),
  seq: z.int(),
  kind: z.string(),
  text: z.string(),
  decision: z.unknown(),
  input_request_id: z.string().nullable(),
  sender: z.unknown(),
  at: z.string(),
});

export function presentInput(row: z.infer<typeof inputRow>): InputMessage {
  return inputMessage.parse({
    id: row.id,
    seq: row.seq,
    kind: row.kind,
    text: row.text,
    decision: row.decision,
    input_request_id: row.input_request_id,
    sender: row.sender ?? undefined,
    at: row.at,
  });
}
