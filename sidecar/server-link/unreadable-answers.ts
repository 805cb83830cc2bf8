/**
 * What happens to a line of the server that is no message: nothing of it reaches the agent, and
 * the request that it was to answer fails at once, with the reason (docs/decisions/0060). Which
 * request that is may be a guess.
 */
import { type AnswerFault, answerFaultText } from '../../contract/answer-fault.ts';
import { AnswerScan, scanInTurns } from '../json-rpc/answer-scan.ts';
import { space } from '../json-rpc/json-characters.ts';
import type { LineLoss } from '../json-rpc/lines.ts';
import type { RequestId } from '../json-rpc/message.ts';
import type { LineProblem, ParsedLine } from '../json-rpc/parse-line.ts';
import type { SentRequest } from './ledger.ts';
import type { AgentConnection } from './link-dependencies.ts';

/** A message that is written over several lines: the lines after the first belong to it, until it ends. */
export interface OpenAnswer {
  scan: AnswerScan;
  fault: AnswerFault;
  isDecided: boolean;
  /** Of `performance.now`. */
  endsAtMs: number;
  timer: NodeJS.Timeout;
}

/** After its last line: the next one follows at once, or never. */
const nextLineMs = 1000;
/** After its first line: what a server logs behind a brace that it never closes keeps no call waiting. */
const allLinesMs = 10_000;
const lineBreak = Uint8Array.of(space);
/**
 * A line that begins a message of its own, also inside of another one: what belongs to
 * another one is indented.
 */
const beginsMessage = /^(\s*\{\s*"jsonrpc"|\{\s*["'](jsonrpc|id|method|result|error)["'])/;
const looksAtBytes = 64;

/** A line that `parseLine` refused. */
export async function takeUnreadable(
  line: Buffer,
  { problem, id }: ParsedLine & { ok: false },
  connection: AgentConnection,
): Promise<void> {
  const { replies, unreadable } = connection;
  const continued = unreadable.open;
  if (continued !== null && !beginsMessage.test(line.toString('latin1', 0, looksAtBytes))) {
    continued.fault = continued.fault === 'not_json' ? 'several_lines' : continued.fault;
    continued.timer.refresh();
    continued.scan.push(lineBreak);
    await scanInTurns(continued.scan, line);
    await (performance.now() < continued.endsAtMs
      ? decideOnOpen(continued, connection)
      : settleUnreadable(connection));
    return;
  }
  await settleUnreadable(connection);
  const scan = new AnswerScan();
  await scanInTurns(scan, line);
  const fault = faultOf(scan, problem);
  replies.note('server', scan.isNoise ? problem : fault);
  if (scan.isNoise) {
    return;
  }
  if (id !== null) {
    if (!scan.namesMethod) {
      await failGuessed([id], fault, connection);
    }
    return;
  }
  const timer = setTimeout(() => void settleUnreadable(connection), nextLineMs).unref();
  unreadable.open = { scan, fault, isDecided: false, endsAtMs: performance.now() + allLinesMs, timer };
  await decideOnOpen(unreadable.open, connection);
}

/** A line that was not kept. */
export async function failLost(
  { loss, scan }: { loss: LineLoss; scan: AnswerScan },
  connection: AgentConnection,
): Promise<void> {
  await settleUnreadable(connection);
  connection.replies.note('server', loss);
  if (!scan.isNoise && !scan.namesMethod) {
    await failGuessed(scan.ids, loss, connection);
  }
}

/** What is open ends here: another message follows, or nothing. */
export async function settleUnreadable(connection: AgentConnection): Promise<void> {
  const { open } = connection.unreadable;
  if (open !== null) {
    close(connection);
    await decide(open, connection);
  }
}

/** The request gets a failure in place of the answer that has its very id. */
export async function failAnswer(
  id: RequestId,
  fault: AnswerFault,
  connection: AgentConnection,
): Promise<void> {
  connection.start.faulted(fault);
  await tell(connection.ledger.fail(id, 'protocol_error', fault), fault, connection);
}

/**
 * The requests that the ids seem to be of get a failure; without any id the only request in flight does. Its
 * answer may still come: its id stays taken until then.
 */
export async function failGuessed(
  ids: readonly RequestId[],
  fault: AnswerFault,
  connection: AgentConnection,
): Promise<void> {
  const { ledger, start } = connection;
  const meant = ids.length > 0 ? ids.map((id) => ledger.findLike(id)) : [ledger.onlyOne];
  start.faulted(fault);
  for (const request of meant) {
    if (request !== null) {
      const failed =
        ids.length > 0
          ? ledger.fail(request.id, 'protocol_error', fault)
          : ledger.abandon(request.id, 'protocol_error', fault);
      await tell(failed, fault, connection);
    }
  }
}

async function tell(
  request: SentRequest | null,
  reason: AnswerFault,
  { dependencies, replies }: AgentConnection,
): Promise<void> {
  if (request !== null) {
    const detail = reason === 'too_large' ? limitText(dependencies.limits) : answerFaultText[reason];
    const why = `gave an answer that the platform does not let pass: ${detail}`;
    await replies.failRequest(request, { why, cause: null, reason });
  }
}

const limitText = ({ answerBytes }: AgentConnection['dependencies']['limits']): string =>
  `it has more than ${answerBytes} bytes, which is the limit; ask for less`;

async function decideOnOpen(open: OpenAnswer, connection: AgentConnection): Promise<void> {
  const { scan } = open;
  const isOver = !scan.isOpen || scan.isInString;
  if (isOver) {
    close(connection);
  }
  if (isOver || (scan.ids.length > 0 && scan.hasAnswer)) {
    await decide(open, connection);
  }
}

function close({ unreadable }: AgentConnection): void {
  clearTimeout(unreadable.open?.timer);
  unreadable.open = null;
}

/** Once for each: what names a method is no answer. */
async function decide(open: OpenAnswer, connection: AgentConnection): Promise<void> {
  const { scan, fault, isDecided } = open;
  open.isDecided = true;
  if (!isDecided && !scan.namesMethod && !scan.isNoise) {
    await failGuessed(scan.ids, fault, connection);
  }
}

function faultOf(scan: AnswerScan, problem: LineProblem): AnswerFault {
  if (scan.hasByteOrderMark && problem === 'not_json') {
    return 'byte_order_mark';
  }
  if (scan.isList) {
    return 'batch';
  }
  return problem;
}
