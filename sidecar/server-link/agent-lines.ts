/**
 * Reads the agent's input, line by line. Writing the record of a tool call begins as soon as the line is read. An agent beyond its
 * rate limit is read more slowly: backpressure on its socket makes it wait.
 */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admission, AuditTrail } from '../audit/audit-trail.ts';
import { isCall, newlyCalledTool } from '../gate/decide.ts';
import type { Message } from '../json-rpc/message.ts';
import { longLineBytes, type ParsedLine, parseLine, parseLineInTurns } from '../json-rpc/parse-line.ts';
import { type Line, readLines } from '../json-rpc/read-lines.ts';
import type { Pace } from '../pace/pace.ts';
import { readAhead } from './read-ahead.ts';

export interface AgentLine {
  bytes: Buffer;
  parsed: ParsedLine;
  /** Set for a line that begins a tool call, whatever its outcome. */
  record: CallRecord | null;
}

export interface CallRecord {
  callId: string;
  admission: Promise<Admission>;
}

export interface AgentLineParts {
  server: string;
  audit: AuditTrail;
  /** The rate of calls of the whole session. */
  callPace: Pace;
  limits: { lineBytes: number };
}

const noBytes = Buffer.alloc(0);
const tooLarge: ParsedLine = { ok: false, problem: 'too_large', id: null };
/** Pause before a call that is refused because too many wait already. */
const refusedPauseMs = 1000;
/** Limits of reading ahead on a connection. */
const aheadLimits = { items: 256, bytes: 1024 * 1024, sizeBytes: ({ bytes }: AgentLine) => bytes.length };

/**
 * Yields lines in their order, while later ones are read and recorded already: calls that wait together share one
 * disk write. `onLeft` gets the lines that were not yielded. Throws the stream's errors.
 */
export function readAgentLines(
  stream: Readable,
  parts: AgentLineParts,
  onLeft: (line: AgentLine) => void,
): AsyncGenerator<AgentLine[]> {
  return readAhead(parseLines(stream, parts), aheadLimits, onLeft);
}

async function* parseLines(stream: Readable, parts: AgentLineParts): AsyncGenerator<AgentLine[]> {
  for await (const lines of readLines(stream, parts.limits.lineBytes)) {
    let ready: AgentLine[] = [];
    for (const line of lines) {
      const isLong = !line.tooLarge && line.bytes.length > longLineBytes;
      if (isLong) {
        // Earlier lines do not wait for it.
        yield ready;
        ready = [];
      }
      const parsed = isLong ? await parseLineInTurns(line.bytes) : parse(line);
      const waitMs = parsed.ok && isCall(parsed.message) ? parts.callPace.take() : 0;
      if (waitMs !== 0) {
        yield ready;
        ready = [];
        await sleep(waitMs ?? refusedPauseMs);
      }
      const bytes = line.tooLarge ? noBytes : line.bytes;
      ready.push({ bytes, parsed, record: recordOf(parsed, parts, waitMs === null) });
    }
    yield ready;
  }
}

const parse = (line: Line): ParsedLine => (line.tooLarge ? tooLarge : parseLine(line.bytes));

function recordOf(parsed: ParsedLine, parts: AgentLineParts, isTooFast: boolean): CallRecord | null {
  const tool = parsed.ok ? newlyCalledTool(parsed.message) : null;
  if (!parsed.ok || tool === null) {
    return null;
  }
  return isTooFast
    ? { callId: randomUUID(), admission: parts.audit.refusedBeyondLimit({ server: parts.server, tool }) }
    : recordCall(parts, tool, argumentsOf(parsed.message));
}

/** The arguments of a call, for a workspace that keeps them. */
export function argumentsOf(message: Message): unknown {
  return message.kind === 'request' ? message.params['arguments'] : undefined;
}

/** Begins the record of one call. */
export function recordCall(
  { server, audit }: Pick<AgentLineParts, 'server' | 'audit'>,
  tool: string,
  args?: unknown,
): CallRecord {
  const callId = randomUUID();
  return { callId, admission: audit.started({ callId, server, tool }, args) };
}
