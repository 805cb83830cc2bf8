/** What the agent sends, line by line. The record of a tool call is on its way to the disk as soon as the line is read. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { newlyCalledTool } from '../gate/decide.ts';
import type { Message } from '../json-rpc/message.ts';
import { longLineBytes, type ParsedLine, parseLine, parseLineInTurns } from '../json-rpc/parse-line.ts';
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
const tooLarge: ParsedLine = { ok: false, problem: 'too_large', id: null };
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
    let read: AgentLine[] = [];
    for (const line of lines) {
      if (!line.tooLarge && line.bytes.length > longLineBytes) {
        // Those before it do not wait for it.
        yield read;
        read = [];
        read.push(agentLine(line, await parseLineInTurns(line.bytes), parts));
      } else {
        const parsed = line.tooLarge ? tooLarge : parseLine(line.bytes);
        read.push(agentLine(line, parsed, parts));
      }
    }
    yield read;
  }
}

function agentLine(line: Line, parsed: ParsedLine, parts: AgentLineParts): AgentLine {
  return { bytes: line.tooLarge ? noBytes : line.bytes, parsed, record: recordOf(parsed, parts) };
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
