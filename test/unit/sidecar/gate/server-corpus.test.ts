import { expect, it } from '@jest/globals';
import { decideServerMessage, type GateRefusal } from '../../../../sidecar/gate/decide.ts';
import { idSlot } from '../../../../sidecar/json-rpc/message.ts';
import { type LineProblem, parseLine } from '../../../../sidecar/json-rpc/parse-line.ts';
import { implementationDefinedLines } from '../../../corpus/json-rpc/implementation-defined.ts';
import { invalidMessages } from '../../../corpus/json-rpc/invalid-messages.ts';
import { invalidTexts } from '../../../corpus/json-rpc/invalid-texts.ts';
import type { Verdict } from '../../../corpus/json-rpc/line.ts';
import { type ServerLine, serverLines } from '../../../corpus/json-rpc/server-lines.ts';

function verdictOn({ bytes, protocolVersion }: ServerLine): Verdict {
  const parsed = parseLine(bytes);
  if (!parsed.ok) {
    return parsed.problem;
  }
  const decision = decideServerMessage(parsed.message, {
    protocolVersion,
    features: new Set(['elicitation']),
    agentRequest: (id) => (id === 7 ? { method: 'tools/call', rounds: 0 } : null),
    serverIdTaken: (id) => idSlot(id) === idSlot('p'),
    roomForRequest: true,
  });
  return 'reason' in decision ? decision.reason : 'passes';
}

it('the gate says to all lines of servers what the corpus says', () => {
  const byTitle = (verdictOf: (line: ServerLine) => Verdict) =>
    Object.fromEntries(serverLines.map((line) => [`${line.protocolVersion} ${line.title}`, verdictOf(line)]));
  expect(byTitle(verdictOn)).toEqual(byTitle(({ verdict }) => verdict));
});

/** Reasons that need more than one line, or a server of the platform's own; each has a separate test. */
const needsMore: Partial<Record<LineProblem | GateRefusal, true>> = {
  too_large: true,
  too_many_requests: true,
  unlisted_tool: true,
  too_many_rounds: true,
  too_many_values: true,
};
/** The compiler requires an entry for each new reason. */
const reasons: Record<LineProblem | GateRefusal, true> = {
  too_large: true,
  control_byte: true,
  not_utf8: true,
  not_json: true,
  not_an_object: true,
  duplicate_key: true,
  bad_key: true,
  too_deep: true,
  unknown_member: true,
  bad_version: true,
  bad_id: true,
  bad_method: true,
  bad_params: true,
  bad_result: true,
  bad_error: true,
  mixed_message: true,
  method_not_allowed: true,
  client_feature_not_allowed: true,
  id_in_use: true,
  too_many_requests: true,
  unknown_answer: true,
  unknown_cancellation: true,
  call_without_id: true,
  bad_tool_name: true,
  bad_arguments: true,
  lookalike_member: true,
  lookalike_tool_name: true,
  unlisted_tool: true,
  unknown_continuation: true,
  bad_input_request: true,
  too_many_rounds: true,
  too_many_values: true,
};

it('the corpus has a line for every reason of a refusal, but for those that need more than one', () => {
  const all = [...invalidTexts, ...invalidMessages, ...implementationDefinedLines, ...serverLines];
  const inCorpus = new Set<string>(all.map(({ verdict }) => verdict));
  expect(Object.keys(reasons).filter((reason) => !inCorpus.has(reason))).toEqual(Object.keys(needsMore));
});
