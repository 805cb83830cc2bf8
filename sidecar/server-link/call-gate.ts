/** May this tool call be forwarded, now? Audit first, then, for a scope, the check at the platform (design 7, 8). */
import type { ToolErrorCode } from '../../contract/errors.ts';
import { causeText, type FailureCause } from '../../contract/session-process.ts';
import type { Admission, AuditTrail } from '../audit/audit-trail.ts';
import type { PlatformError } from '../json-rpc/answers.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import type { RefusedCalls } from './refused-calls.ts';

export interface GatedCall {
  callId: string;
  server: string;
  tool: string;
  /** Null: no scope gates this tool. */
  scope: string | null;
  /** Why the server failed before its first answer; null when it did not, or was never started. */
  cause?: FailureCause | null;
}

export interface CallGate {
  /** `admission`: whether the trail has the call. Null: it may pass. Otherwise why not, with the outcome already recorded. */
  open(
    call: GatedCall,
    serverIsConnected: boolean,
    admission: Promise<Admission>,
  ): Promise<PlatformError | null>;
  /** The same for a further round of an open call: checked again under its id, which consumes no second grant. */
  reopen(call: GatedCall): Promise<PlatformError | null>;
}

export function createCallGate(
  api: Pick<PlatformApi, 'checkCall'>,
  audit: Pick<AuditTrail, 'decided' | 'finished'>,
  refusedCalls: RefusedCalls,
): CallGate {
  const decide = async (call: GatedCall, isFirst: boolean): Promise<PlatformError | null> => {
    const code = call.scope === null ? null : await check(api, call);
    if (isFirst) {
      audit.decided(call.callId);
    }
    if (code === null) {
      return null;
    }
    audit.finished(call.callId, code === 'permission_required' ? code : 'refused');
    if (code === 'permission_required' && call.scope !== null) {
      refusedCalls.remember(call.scope, { server: call.server, tool: call.tool });
    }
    return callRefusal(code, call);
  };
  return {
    async open(call, serverIsConnected, admission) {
      const admitted = await admission;
      if (admitted !== 'recorded') {
        return callRefusal(admitted, call);
      }
      if (!serverIsConnected) {
        audit.finished(call.callId, 'server_unavailable');
        return callRefusal('server_unavailable', call);
      }
      return decide(call, true);
    },
    reopen: (call) => decide(call, false),
  };
}

/** Checks at the moment of the call, with the call's own id, so that a retried check consumes no second grant. */
async function check(
  api: Pick<PlatformApi, 'checkCall'>,
  { callId, server, tool }: GatedCall,
): Promise<ToolErrorCode | null> {
  try {
    const answer = await api.checkCall({ call_id: callId, server, tool });
    return answer.decision === 'allowed' ? null : answer.code;
  } catch {
    return 'gate_unavailable';
  }
}

const messageByCode: Record<ToolErrorCode, (call: GatedCall) => string> = {
  permission_required: ({ server, tool, scope }) =>
    `The tool ${tool} of ${server} needs the scope ${scope}, and no active grant covers it.`,
  gate_unavailable: ({ tool }) =>
    `Whether ${tool} may be called could not be checked, so the call was not made.`,
  audit_unavailable: ({ tool }) => `The call of ${tool} could not be recorded, so it was not made.`,
  too_many_calls: ({ tool }) =>
    `This session has made as many calls as it may, or too many at a time, so ${tool} was not called.`,
  server_unavailable: ({ server, cause = null }) => unavailableText(server, cause),
  runtime_requests_disabled: () => 'This workspace does not take permission requests from agents.',
  invalid_message: ({ tool }) => `The platform does not let this call of ${tool} pass.`,
};

/** The text for the agent about an unavailable server. */
export function unavailableText(server: string, cause: FailureCause | null): string {
  return `The MCP server ${server} ${cause === null ? 'is not available' : causeText[cause]}.`;
}

/** Continues a sentence after the name of a lost server. */
export const lossText = (cause: FailureCause | null): string =>
  cause === null ? 'ended before it answered' : causeText[cause];

const tryAgain = ['Try again later; nothing was done.'];

/** The agent's result when its call was not made. */
export function callRefusal(code: ToolErrorCode, call: GatedCall): PlatformError {
  const { server, tool, scope, cause } = call;
  return {
    code,
    scope,
    server,
    tool,
    ...(code === 'server_unavailable' && cause ? { cause } : {}),
    message: messageByCode[code](call),
    next_steps: code === 'permission_required' ? howToAsk(scope) : code === 'invalid_message' ? [] : tryAgain,
  };
}

/** The agent's result when its call was made and no answer is available. */
export function lostCall({ server, tool, scope, cause }: GatedCall, message: string): PlatformError {
  const next_steps = ['The call may have taken effect: find out before you make it again.'];
  return {
    code: 'server_unavailable',
    scope,
    server,
    tool,
    ...(cause ? { cause } : {}),
    message,
    next_steps,
  };
}

function howToAsk(scope: string | null): string[] {
  return [
    `Call request_grant of the platform server with {"grant_type":"tool_scope","details":{"scope":"${scope}"},"scope":"once","justification":"why you need it"}.`,
    'Wait for the decision, which arrives as a message.',
    'If it was approved, make the same call again.',
  ];
}
