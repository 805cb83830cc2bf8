/** Arguments and results of calls for the audit trail, where the workspace asks for them (spec, Audit events). */
import type { CallPayload } from '../../contract/tool-call.ts';

const payloadLimitBytes = 16 * 1024;

/** The value as JSON text, cut after 16 KiB. */
export function payloadOf(value: unknown): CallPayload {
  const bytes = Buffer.from(JSON.stringify(value) ?? 'null');
  return {
    json: bytes.toString('utf8', 0, payloadLimitBytes),
    truncated: bytes.length > payloadLimitBytes,
  };
}
