/** Tool calls that have been made and have not ended. */
import * as z from 'zod';
import { chosenId, maxStoredInteger, maxToolNameCharacters, timestamp, uuid } from './names.ts';

/** The oldest ones; how many there are is told beside them. */
export const maxListedOpenCalls = 50;

const openCall = z.strictObject({
  call_id: chosenId,
  server: z.string().max(64),
  tool: z.string().max(maxToolNameCharacters),
  started_at: timestamp,
  /** When its server last reported progress. */
  progressed_at: timestamp.nullable(),
});
export type ListedOpenCall = z.infer<typeof openCall>;

/**
 * `POST .../tool-calls/open`: all that have been open for some seconds, oldest first. A later report of the
 * same sidecar has a higher `revision`, and replaces the earlier one.
 */
export const openCallReport = z.strictObject({
  sidecar_run: chosenId,
  revision: z.int().positive().max(maxStoredInteger),
  calls: z.array(openCall).max(maxListedOpenCalls),
  count: z.int().min(0).max(maxStoredInteger),
});
export type OpenCallReport = z.infer<typeof openCallReport>;

/** As the readers of the session see them. */
export const openCallList = z.strictObject({
  open_calls: z.array(openCall.extend({ call_id: uuid })),
  /** Of all that are open. */
  count: z.int().min(0),
});
