/** Answers that the gate itself writes, as lines with their line feed. */
import type { AnswerFault } from '../../contract/answer-fault.ts';
import type { FailureCause } from '../../contract/session-process.ts';
import type { CheckRefusalCode } from '../../contract/sidecar.ts';
import { type Params, type RequestId, rpcErrorCode } from './message.ts';

/** Why a call is refused: what the platform answers to its check, or that it may not be made at all. */
export type CallRefusalCode = CheckRefusalCode | 'audit_unavailable' | 'too_many_calls';

/**
 * What the agent reads of a refused call: as JSON text of the tool result and in `_meta["platform/error"]`
 * (docs/sidecar.md#refused-calls).
 */
export interface PlatformError {
  code: CallRefusalCode;
  scope: string | null;
  server: string;
  tool: string;
  /** With `permission_required`: a person approved another call of this tool, and exactly that one. */
  differs_from_approved?: true;
  /** Set for a server that failed before its first answer. */
  cause?: FailureCause;
  /** Set for an answer that did not pass. */
  reason?: AnswerFault;
  message: string;
  next_steps: string[];
}

export const platformErrorKey = 'platform/error';

/** A JSON-RPC error. Without a usable id the member is left out, as MCP has it. */
export function errorAnswer(id: RequestId | null, code: number, message: string, data?: Params): Buffer {
  return lineOf({
    ...(id === null ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
}

/**
 * A message that the gate does not let pass. `reason` is one of a fixed list, and neither it nor
 * `detail` quotes the message.
 */
export function invalidMessageAnswer(
  id: RequestId | null,
  code: number,
  reason: string,
  detail: string | null = null,
): Buffer {
  const why = detail === null ? reason : `${reason}: ${detail}`;
  return errorAnswer(id, code, `The platform does not let this message pass: ${why}`, {
    code: 'invalid_message',
    reason,
  });
}

/** `isModern`: the 2026 revision requires `resultType` in every result. */
export function refusedCallAnswer(id: RequestId, error: PlatformError, isModern: boolean): Buffer {
  return lineOf({
    id,
    result: {
      content: [{ type: 'text', text: JSON.stringify(error) }],
      isError: true,
      ...(isModern ? { resultType: 'complete' } : {}),
      _meta: { [platformErrorKey]: error },
    },
  });
}

/** A request, other than a tool call, that the server cannot receive. */
export function serverUnavailableAnswer(
  id: RequestId,
  server: string,
  message: string,
  { cause, reason }: { cause: FailureCause | null; reason?: AnswerFault },
): Buffer {
  return errorAnswer(id, rpcErrorCode.refused, message, {
    code: 'server_unavailable' satisfies CallRefusalCode,
    server,
    ...(cause === null ? {} : { cause }),
    ...(reason === undefined ? {} : { reason }),
  });
}

/** Notifies a server that a request was cancelled. */
export function cancelledNotice(requestId: RequestId, reason: string): Buffer {
  return lineOf({ method: 'notifications/cancelled', params: { requestId, reason } });
}

const lineOf = (members: object): Buffer =>
  Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...members })}\n`);
