/** The gate's own replies to the agent, counted and logged without the content of any message. */
import type { AnswerFault } from '../../contract/answer-fault.ts';
import type { FailureCause } from '../../contract/session-process.ts';
import { createTokenBucket } from '../../lib/limits/token-bucket.ts';
import type { GateRefusal } from '../gate/decide.ts';
import {
  invalidMessageAnswer,
  type PlatformError,
  refusedCallAnswer,
  serverUnavailableAnswer,
} from '../json-rpc/answers.ts';
import type { LineWriter } from '../json-rpc/lines.ts';
import { type RequestId, rpcErrorCode } from '../json-rpc/message.ts';
import type { LineProblem } from '../json-rpc/parse-line.ts';
import { lostCall, unavailableText } from './call-gate.ts';
import type { SentRequest } from './ledger.ts';
import type { LinkDependencies } from './link-dependencies.ts';

export interface Replies {
  /** Counts and logs refused messages. */
  note(
    from: 'agent' | 'server',
    reason: LineProblem | AnswerFault | GateRefusal | PlatformError['code'],
  ): void;
  refuseLine(problem: LineProblem, id: RequestId | null): Promise<void>;
  refuseMessage(reason: GateRefusal, code: number, id: RequestId | null): Promise<void>;
  refuseCall(id: RequestId, error: PlatformError, isModern: boolean): Promise<void>;
  /** A request, other than a call, that no server can receive. */
  noServer(id: RequestId, cause: FailureCause | null): Promise<void>;
  /** A request that was forwarded and gets no answer. */
  failRequest(request: SentRequest, failure: RequestFailure): Promise<void>;
}

export interface RequestFailure {
  /** Continues the sentence after the server's name. */
  why: string;
  /** Of a server that failed before its first answer. */
  cause: FailureCause | null;
  /** Of an answer that did not pass. */
  reason?: AnswerFault;
}

/**
 * Max logged refusals of one connection, so that a flood does not fill a disk; the metrics count all of them.
 */
const loggedPerMinute = 120;

export function createReplies(
  { server, metrics, logger, limits }: Pick<LinkDependencies, 'server' | 'metrics' | 'logger' | 'limits'>,
  toAgent: LineWriter,
): Replies {
  const logBucket = createTokenBucket({ perMinute: loggedPerMinute });
  const note: Replies['note'] = (from, reason) => {
    metrics.count('gate_refusals_total', { from, reason });
    if (logBucket.take() !== null) {
      logger.info({ server, from, reason }, 'message refused');
    }
  };
  return {
    note,
    refuseLine(problem, id) {
      note('agent', problem);
      const code = problem === 'not_json' ? rpcErrorCode.parseError : rpcErrorCode.invalidRequest;
      const detail = problem === 'too_large' ? `a message may have ${limits.lineBytes} bytes at most` : null;
      return toAgent.write(invalidMessageAnswer(id, code, problem, detail));
    },
    refuseMessage(reason, code, id) {
      note('agent', reason);
      return toAgent.write(invalidMessageAnswer(id, code, reason, detailOf(reason, limits)));
    },
    refuseCall(id, error, isModern) {
      note('agent', error.code);
      return toAgent.write(refusedCallAnswer(id, error, isModern));
    },
    noServer: (id, cause) =>
      toAgent.write(serverUnavailableAnswer(id, server, unavailableText(server, cause), { cause })),
    failRequest({ id, call, isModern }, { why, ...failure }) {
      const message = `The MCP server ${server} ${why}.`;
      return toAgent.write(
        call
          ? refusedCallAnswer(id, lostCall(call, message, failure), isModern)
          : serverUnavailableAnswer(id, server, message, failure),
      );
    },
  };
}

function detailOf(
  reason: GateRefusal,
  { messageValues }: Pick<LinkDependencies['limits'], 'messageValues'>,
): string | null {
  if (reason === 'too_many_values') {
    return `params may hold ${messageValues} values at most`;
  }
  return reason === 'unlisted_tool' ? 'an admin has not listed this tool for agents' : null;
}
