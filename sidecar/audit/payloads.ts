/** Arguments and results of calls for the audit trail, where the workspace asks for them. */
import type { CallPayload } from '../../contract/tool-call.ts';
import { jsonPrefix } from './json-prefix.ts';

const payloadLimitBytes = 16 * 1024;

/** A value that was read from JSON, as JSON text cut after 16 KiB; the rest is never serialized. */
export function payloadOf(value: unknown): CallPayload {
  const bytes = Buffer.from(jsonPrefix(value, payloadLimitBytes));
  return {
    json: bytes.toString('utf8', 0, payloadLimitBytes),
    truncated: bytes.length > payloadLimitBytes,
  };
}
