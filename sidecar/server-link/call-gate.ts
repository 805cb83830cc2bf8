/** May this tool call be forwarded, now? Audit first, then, for a scope, the check at the platform. */
import { afterAsking, askOnce } from '../../contract/how-to-ask.ts';
import { causeText, type FailureCause } from '../../contract/session-process.ts';
import type { CheckAnswer } from '../../contract/sidecar.ts';
import type { ShownDefinitions } from '../../contract/tool-definitions.ts';
import type { CallRefusalCode, PlatformError } from '../json-rpc/answers.ts';
import type { CheckRequest, PlatformApi } from '../platform-api/platform-api.ts';
import type { DescribedCall } from './describe-call.ts';
import type { LastRefusals } from './last-refusals.ts';
import type { Call } from './ledger.ts';
import type { RequestFailure } from './replies.ts';

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
  /**
   * Null: the call is on record and its server connected, so that it may pass without a check.
   * Otherwise as for a verdict.
   */
  admit(call: Call, admitted: AdmittedCall, server: ServerState): Promise<PlatformError | null>;
  /**
   * Asks the platform about a call that was admitted, now. Asked again, for a call that had to wait or for a
   * further round, it is checked under the id of the call, which consumes no second grant.
   */
  check(call: Call, checked: CheckedCall): Promise<Verdict>;
}

/** What a call of a tool needs before it may pass. */
interface AdmittedCall {
  scope: string | null;
  /** Whether the platform is asked about it. */
  isChecked: boolean;
}

/** What is checked of a call beside its tool. */
interface CheckedCall {
  scope: string | null;
  /** Of a call that has a scope. */
  described: DescribedCall | null;
  /** Where changed tools are refused: what the agent was shown of this one. */
  shown: ShownDefinitions | undefined;
  /** It was let pass before, and could not be forwarded. */
  isUnforwarded: boolean;
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
    async check(call, { scope, described, shown, isUnforwarded }) {
      const { callId, server, tool } = call;
      const sha256 = described?.sha256 ?? null;
      const refused = await ask(api, {
        // With the call's own id, so that a repeated check consumes no second grant.
        ...{ call_id: callId, server, tool },
        ...(shown === undefined ? {} : { shown }),
        ...(sha256 === null ? {} : { call_sha256: sha256 }),
        ...(isUnforwarded && call.rounds === 0 ? { unforwarded: true as const } : {}),
      });
      decided(call);
      if (refused === null) {
        const verdict = { refusal: null, isFresh: true };
        setImmediate(() => {
          verdict.isFresh = false;
        });
        return verdict;
      }
      const { code, differs_from_approved: differs = false } = refused;
      call.end(code === 'permission_required' ? code : 'refused');
      if (code === 'permission_required' && scope !== null && described !== null) {
        lastRefusals.remember(scope, described.reported);
      }
      const refusal =
        code === 'permission_required' && differs
          ? differingCall(call, scope)
          : callRefusal(code, call, scope);
      return { refusal, isFresh: true };
    },
  };
}

/** A further round does not begin the call again. */
function decided(call: Call): void {
  if (call.rounds === 0) {
    call.decided();
  }
}

type Refusal = Pick<CheckAnswer & { decision: 'refused' }, 'code' | 'differs_from_approved'>;

/** Null: the call is allowed. */
async function ask(api: Pick<PlatformApi, 'checkCall'>, request: CheckRequest): Promise<Refusal | null> {
  try {
    const answer = await api.checkCall(request);
    return answer.decision === 'allowed' ? null : answer;
  } catch {
    return { code: 'gate_unavailable' };
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
export function lossText(cause: FailureCause | null, firstAnswerMs: number): string {
  if (cause === 'handshake_timeout') {
    return `did not answer its first request within ${firstAnswerMs / 1000} seconds, which is its limit (of its catalog entry, or SERVER_HANDSHAKE_SECONDS)`;
  }
  return cause === null ? 'ended before it answered' : causeText[cause];
}

const retryThenTell = [
  'Nothing was done. Make the call again after ten seconds, three times at most.',
  'If it is still refused, say what you cannot do; it is no permission that is missing.',
];
const howToListTools = [
  'If you have not listed all tools of this server since you connected to it, list them, to the last page, and make the call again.',
  'Otherwise an admin has to accept what is new or changed; make the call again after that.',
];
/** By code; nothing was done. Each has an end, so that nobody repeats a call for ever. */
const stepsByCode: Record<Exclude<CallRefusalCode, 'permission_required'>, string[]> = {
  tool_changed: howToListTools,
  too_many_calls: [
    'Nothing was done. Wait ten seconds, then make one call at a time.',
    'If that is refused as well, this session may make no more calls: say what is not done, and end your work.',
  ],
  gate_unavailable: retryThenTell,
  audit_unavailable: retryThenTell,
  server_unavailable: [
    'Nothing was done. Make the call again once, after ten seconds.',
    'If the server is still not available, continue without it, or say what you cannot do.',
  ],
};

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

/** As `permission_required`, for a call of a tool of which a person approved exactly one other call. */
function differingCall(call: Pick<Call, 'server' | 'tool'>, scope: string | null): PlatformError {
  const { server, tool } = call;
  const [ask, ...afterwards] = howToAsk(scope);
  return {
    ...callRefusal('permission_required', call, scope),
    differs_from_approved: true,
    message: `Exactly one call of the tool ${tool} of ${server} was approved, and this one differs from it in its arguments, so it was not made.`,
    next_steps: [
      'Make exactly the call that was approved: its approval still holds.',
      `Or ask for this one. ${ask}`,
      ...afterwards,
    ],
  };
}

function nextSteps(code: CallRefusalCode, scope: string | null): string[] {
  return code === 'permission_required' ? howToAsk(scope) : stepsByCode[code];
}

/** The agent's result when its call was made and no answer is available. */
export function lostCall(
  { server, tool }: Pick<Call, 'server' | 'tool'>,
  message: string,
  { cause, reason }: Pick<RequestFailure, 'cause' | 'reason'>,
): PlatformError {
  return {
    code: 'server_unavailable',
    scope: null,
    server,
    tool,
    ...(cause ? { cause } : {}),
    ...(reason === undefined ? {} : { reason }),
    message,
    next_steps: ['The call may have taken effect: find out before you make it again.'],
  };
}

const howToAsk = (scope: string | null): string[] => [
  askOnce({ grant_type: 'tool_scope', details: { scope }, scope: 'once' }),
  ...afterAsking,
];
