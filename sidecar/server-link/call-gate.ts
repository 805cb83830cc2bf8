/** May this tool call be forwarded, now? Audit first, then, for a scope, the check at the platform. */
import { causeText, type FailureCause } from '../../contract/session-process.ts';
import type { CheckRefusalCode } from '../../contract/sidecar.ts';
import type { ShownDefinitions } from '../../contract/tool-definitions.ts';
import type { CallRefusalCode, PlatformError } from '../json-rpc/answers.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import type { LastRefusals } from './last-refusals.ts';
import type { Call } from './ledger.ts';

/** Whether the server's side is connected. */
export interface ServerState {
  isConnected: boolean;
  /** Why the server failed before its first answer; null when it did not, or was never started. */
  cause: FailureCause | null;
}

/** Whether a call may pass. */
export interface Verdict {
  /** Null: it may. Otherwise why not, with its end recorded. */
  refusal: PlatformError | null;
  /** It serves only what is forwarded at once: false from the next turn of the event loop on. */
  isFresh: boolean;
}

export interface CallGate {
  /** Null: the call is on record and its server connected, so that it may pass without a check. Otherwise as for a verdict. */
  admit(call: Call, admitted: AdmittedCall, server: ServerState): Promise<PlatformError | null>;
  /**
   * Asks the platform about a call that was admitted, now. Asked again, for a call that had to wait or for a further round, it is checked
   * under the id of the call, which consumes no second grant. `shown`: where changed tools are refused, what the agent was shown of this one.
   */
  check(call: Call, scope: string | null, shown?: ShownDefinitions): Promise<Verdict>;
}

/** What a call of a tool needs before it may pass. */
interface AdmittedCall {
  scope: string | null;
  /** Whether the platform is asked about it. */
  isChecked: boolean;
}

export function createCallGate(api: Pick<PlatformApi, 'checkCall'>, lastRefusals: LastRefusals): CallGate {
  return {
    async admit(call, { scope, isChecked }, server) {
      const admitted = await call.admission;
      if (admitted !== 'recorded') {
        return callRefusal(admitted, call, scope);
      }
      if (!server.isConnected) {
        call.end('server_unavailable');
        return callRefusal('server_unavailable', call, scope, server.cause);
      }
      if (!isChecked) {
        decided(call);
      }
      return null;
    },
    async check(call, scope, shown) {
      const code = await ask(api, call, shown);
      decided(call);
      if (code === null) {
        const verdict = { refusal: null, isFresh: true };
        setImmediate(() => {
          verdict.isFresh = false;
        });
        return verdict;
      }
      call.end(code === 'permission_required' ? code : 'refused');
      if (code === 'permission_required' && scope !== null) {
        lastRefusals.remember(scope, { server: call.server, tool: call.tool });
      }
      return { refusal: callRefusal(code, call, scope), isFresh: true };
    },
  };
}

/** A further round does not begin the call again. */
function decided(call: Call): void {
  if (call.rounds === 0) {
    call.decided();
  }
}

/** With the call's own id, so that a repeated check consumes no second grant. */
async function ask(
  api: Pick<PlatformApi, 'checkCall'>,
  { callId, server, tool }: Call,
  shown: ShownDefinitions | undefined,
): Promise<CheckRefusalCode | null> {
  try {
    const answer = await api.checkCall({
      ...{ call_id: callId, server, tool },
      ...(shown === undefined ? {} : { shown }),
    });
    return answer.decision === 'allowed' ? null : answer.code;
  } catch {
    return 'gate_unavailable';
  }
}

interface RefusedCall {
  server: string;
  tool: string;
  scope: string | null;
  cause: FailureCause | null;
}

const messageByCode: Record<CallRefusalCode, (call: RefusedCall) => string> = {
  permission_required: ({ server, tool, scope }) =>
    `The tool ${tool} of ${server} needs the scope ${scope}, and no active grant covers it.`,
  tool_changed: ({ server, tool }) =>
    `The tool ${tool} of ${server}, or what that server says of itself, is not known to be as it was accepted, so it was not called.`,
  gate_unavailable: ({ tool }) =>
    `Whether ${tool} may be called could not be checked, so the call was not made.`,
  audit_unavailable: ({ tool }) => `The call of ${tool} could not be recorded, so it was not made.`,
  too_many_calls: ({ tool }) =>
    `This session has made as many calls as it may, or too many at a time, so ${tool} was not called.`,
  server_unavailable: ({ server, cause }) => unavailableText(server, cause),
};

/** The text for the agent about an unavailable server. */
export function unavailableText(server: string, cause: FailureCause | null): string {
  return `The MCP server ${server} ${cause === null ? 'is not available' : causeText[cause]}.`;
}

/** Continues a sentence after the name of a lost server. */
export const lossText = (cause: FailureCause | null): string =>
  cause === null ? 'ended before it answered' : causeText[cause];

const howToListTools = [
  'If you have not listed all tools of this server since you connected to it, list them, to the last page, and make the call again.',
  'Otherwise an admin has to accept what is new or changed; make the call again after that.',
];
const tryAgain = ['Try again later; nothing was done.'];

/** The agent's result when its call was not made. */
export function callRefusal(
  code: CallRefusalCode,
  { server, tool }: Pick<Call, 'server' | 'tool'>,
  scope: string | null,
  cause: FailureCause | null = null,
): PlatformError {
  return {
    code,
    scope,
    server,
    tool,
    ...(code === 'server_unavailable' && cause ? { cause } : {}),
    message: messageByCode[code]({ server, tool, scope, cause }),
    next_steps: nextSteps(code, scope),
  };
}

function nextSteps(code: CallRefusalCode, scope: string | null): string[] {
  if (code === 'permission_required') {
    return howToAsk(scope);
  }
  return code === 'tool_changed' ? howToListTools : tryAgain;
}

/** The agent's result when its call was made and no answer is available. */
export function lostCall(
  { server, tool }: Pick<Call, 'server' | 'tool'>,
  message: string,
  cause: FailureCause | null,
): PlatformError {
  return {
    code: 'server_unavailable',
    scope: null,
    server,
    tool,
    ...(cause ? { cause } : {}),
    message,
    next_steps: ['The call may have taken effect: find out before you make it again.'],
  };
}

function howToAsk(scope: string | null): string[] {
  return [
    `Call request_grant of the platform server with {"grant_type":"tool_scope","details":{"scope":"${scope}"},"scope":"once","justification":"why you need it"}.`,
    'Wait for the decision, which arrives as a message.',
    'If it was approved, make the same call again.',
  ];
}
