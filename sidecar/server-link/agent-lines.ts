/** What the agent sends, line by line. The record of a tool call is on its way to the disk as soon as the line is read. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { newlyCalledTool } from '../gate/decide.ts';
import type { Message } from '../json-rpc/message.ts';
import { type ParsedLine, parseLine } from '../json-rpc/parse-line.ts';
import { type Line, readLines } from '../json-rpc/read-lines.ts';
import { readAhead } from './read-ahead.ts';

export interface AgentLine {
  bytes: Buffer;
  parsed: ParsedLine;
  /** Of a line that begins a tool call, whatever becomes of it. */
  record: CallRecord | null;
}

export interface CallRecord {
  callId: string;
  /** False: the call must not pass. */
  isKept: Promise<boolean>;
}

export interface AgentLineParts {
  server: string;
  audit: AuditTrail;
  lineBytes: number;
}

const noBytes = Buffer.alloc(0);
/** What is read of a connection before its turn. */
const aheadLimits = { items: 256, bytes: 1024 * 1024, sizeBytes: ({ bytes }: AgentLine) => bytes.length };

/**
 * Yields lines in their order, while later ones are read and recorded already: calls that wait together share one way to the
 * disk. `onLeft` gets the lines that were not yielded. Throws the stream's errors.
 */
export function readAgentLines(
  stream: Readable,
  parts: AgentLineParts,
  onLeft: (line: AgentLine) => void,
): AsyncGenerator<AgentLine[]> {
  return readAhead(parseLines(stream, parts), aheadLimits, onLeft);
}

async function* parseLines(stream: Readable, parts: AgentLineParts): AsyncGenerator<AgentLine[]> {
  for await (const lines of readLines(stream, parts.lineBytes)) {
    yield lines.map((line) => readLine(line, parts));
  }
}

function readLine(line: Line, parts: AgentLineParts): AgentLine {
  if (line.tooLarge) {
    return { bytes: noBytes, parsed: { ok: false, problem: 'too_large', id: null }, record: null };
  }
  const parsed = parseLine(line.bytes);
  return { bytes: line.bytes, parsed, record: recordOf(parsed, parts) };
}

function recordOf(parsed: ParsedLine, parts: AgentLineParts): CallRecord | null {
  if (!parsed.ok) {
    return null;
  }
  const tool = newlyCalledTool(parsed.message);
  if (tool === null) {
    return null;
  }
  return recordCall(parts, tool, argumentsOf(parsed.message));
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
  return { callId, isKept: audit.started({ callId, server, tool }, args) };
}
