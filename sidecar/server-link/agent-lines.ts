/**
 * Reads the agent's input, line by line. Writing the record of a tool call begins as soon as the line is
 * read. An agent beyond its rate limit is read more slowly: backpressure on its socket makes it wait.
 */
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { countPart, countValues } from '../../contract/json-values.ts';
import type { ByteBudget } from '../../lib/limits/byte-budget.ts';
import type { TokenBucket } from '../../lib/limits/token-bucket.ts';
import { isCall, newlyCalledTool } from '../gate/decide.ts';
import type { AnswerScan } from '../json-rpc/answer-scan.ts';
import { type Line, readLines } from '../json-rpc/lines.ts';
import { nextLoopTurn } from '../json-rpc/loop-turn.ts';
import type { Message, RequestId } from '../json-rpc/message.ts';
import {
  bytesOfTurn,
  isUsableId,
  longLineBytes,
  type ParsedLine,
  parseLine,
  parseLineInTurns,
} from '../json-rpc/parse-line.ts';
import type { Call, Ledger } from './ledger.ts';

export interface AgentLine {
  /** Its bytes with the line feed, as it is forwarded; empty when it is too large. */
  framed: Buffer;
  parsed: ParsedLine;
  /** Set for a line that begins a tool call, whatever its outcome. */
  call: Call | null;
  /** What it takes in memory, about. */
  heldBytes: number;
  /** Call once, when the line was handled or left. */
  release(): void;
}

export interface AgentLineDependencies {
  ledger: Ledger;
  /** The rate of calls of the whole session. */
  callBucket: Pick<TokenBucket, 'take'>;
  /** Memory for large messages of the whole session. */
  largeMessages: ByteBudget;
  limits: { lineBytes: number };
}

const noBytes = Buffer.alloc(0);
/** Pause before a call that is refused because too many wait already. */
const refusedPauseMs = 1000;
/** What a parsed value takes beside its text: an empty object is two bytes of text. */
const valueBytes = 64;
/**
 * Limits of reading ahead on a connection; what takes more by itself shares the session's
 * memory for large messages.
 */
const aheadBytes = 1024 * 1024;
const aheadLimits = { items: 256, bytes: aheadBytes, sizeBytes: ({ heldBytes }: AgentLine) => heldBytes };
/**
 * For the agent's messages of every session: some dozen times the longest line of text, or one
 * line of the smallest values.
 */
export const largeMessageBytes = 24 * 1024 * 1024;
/** Longer than a side that stalls keeps its connection, and with it what it holds. */
const largeMessageWaitMs = 60_000;
const noRelease = () => undefined;

/**
 * Yields lines in their order, while later ones are read and recorded already: calls that wait together share
 * one disk write. `onLeft` gets the lines that were not yielded. Throws the stream's errors.
 */
export function readAgentLines(
  stream: Readable,
  dependencies: AgentLineDependencies,
  onLeft: (line: AgentLine) => void,
): AsyncGenerator<AgentLine[]> {
  return readAhead(parseLines(stream, dependencies), aheadLimits, onLeft);
}

async function* parseLines(
  stream: Readable,
  dependencies: AgentLineDependencies,
): AsyncGenerator<AgentLine[]> {
  const { ledger, callBucket, largeMessages, limits } = dependencies;
  // Of the line that is not passed on yet: whoever reads may leave while it waits.
  let unowned: () => void = noRelease;
  try {
    for await (const lines of readLines(stream, limits.lineBytes)) {
      let ready: AgentLine[] = [];
      for (const line of lines) {
        const isLong = line.loss === null && line.bytes.length > longLineBytes;
        if (isLong) {
          // Earlier lines do not wait for it.
          yield begun(ready, ledger);
          ready = [];
        }
        const heldBytes =
          line.loss !== null
            ? 0
            : sizeOf(line.bytes, isLong ? await countInTurns(line.bytes) : countValues(line.bytes));
        const release = heldBytes > aheadBytes ? await hold(heldBytes, largeMessages) : noRelease;
        unowned = release;
        const parsed = isLong ? await parseLineInTurns(line.bytes, ledger.keepsPayloads) : parse(line);
        const waitMs = parsed.ok && isCall(parsed.message) ? callBucket.take() : 0;
        if (waitMs !== 0) {
          yield begun(ready, ledger);
          ready = [];
          await sleep(waitMs ?? refusedPauseMs);
        }
        const framed = line.loss !== null ? noBytes : line.framed;
        const call = waitMs === null ? beginTooFast(parsed, ledger) : null;
        ready.push({ framed, parsed, call, heldBytes, release });
        unowned = noRelease;
      }
      yield begun(ready, ledger);
    }
  } finally {
    unowned();
  }
}

/** Opens the records of the calls among these lines, with one write. */
function begun(lines: AgentLine[], ledger: Ledger): AgentLine[] {
  const beginning = lines.flatMap((line) => (line.call === null ? calledBy(line) : []));
  const calls = beginning.length === 0 ? [] : ledger.beginTogether(beginning);
  for (const [index, { line }] of beginning.entries()) {
    line.call = calls[index] ?? null;
  }
  return lines;
}

function beginTooFast(parsed: ParsedLine, ledger: Ledger): Call | null {
  const tool = toolOf(parsed);
  return tool === null ? null : ledger.beginTooFast(tool);
}

/** The tool that a line calls for the first time. */
const toolOf = (parsed: ParsedLine) => (parsed.ok ? newlyCalledTool(parsed.message) : null);

function calledBy(line: AgentLine): { line: AgentLine; tool: string; args: unknown }[] {
  const { parsed } = line;
  const tool = toolOf(parsed);
  return parsed.ok && tool !== null ? [{ line, tool, args: argumentsOf(parsed.message) }] : [];
}

/** What a line with so many values takes in memory, about. */
export const sizeOf = (bytes: Buffer, values: number): number => bytes.length + valueBytes * values;

/** As `countValues`, while other work gets its turn. */
export async function countInTurns(bytes: Buffer): Promise<number> {
  let values = 1;
  for (let from = 0; from < bytes.length; ) {
    await nextLoopTurn();
    const part = countPart(bytes, from, from + bytesOfTurn);
    values += part.values;
    from = part.end;
  }
  return values;
}

/** Waits for memory for a large message. Throws when others of the session hold it for too long. */
async function hold(heldBytes: number, largeMessages: ByteBudget): Promise<() => void> {
  if (!(await largeMessages.take(heldBytes, largeMessageWaitMs))) {
    throw new Error('no memory for a large message became free in time');
  }
  return () => largeMessages.give(heldBytes);
}

const parse = (line: Line): ParsedLine =>
  line.loss === null ? parseLine(line.bytes) : { ok: false, problem: 'too_large', id: idToRefuse(line.scan) };

/** The id of a request that is too large, so that its sender learns of it. */
function idToRefuse({ ids, namesMethod, isList }: AnswerScan): RequestId | null {
  const [id, ...others] = ids;
  return id !== undefined && others.length === 0 && namesMethod && !isList && isUsableId(id) ? id : null;
}

/** The arguments of a call, for a workspace that keeps them. */
export function argumentsOf(message: Message): unknown {
  return message.kind === 'request' ? message.params['arguments'] : undefined;
}

export interface ReadAheadLimits<Item> {
  items: number;
  bytes: number;
  sizeBytes(item: Item): number;
}

/**
 * Yields everything that the source has produced since the last time, in order. When the items taken but
 * not yielded reach a limit, the source waits. Unconsumed items go to `onLeft`. Throws the source's error
 * after the items before it.
 */
export async function* readAhead<Item>(
  source: AsyncIterable<Item[]>,
  limits: ReadAheadLimits<Item>,
  onLeft: (item: Item) => void,
): AsyncGenerator<Item[]> {
  const end = { reached: false, failed: false, error: undefined as unknown };
  let taken: Item[] = [];
  let bytes = 0;
  let abandoned = false;
  let wakeReader = () => {};
  let wakeTaker = () => {};

  const takeAll = async () => {
    try {
      for await (const items of source) {
        if (abandoned) {
          items.forEach(onLeft);
          break;
        }
        taken.push(...items);
        bytes += items.reduce((sum, item) => sum + limits.sizeBytes(item), 0);
        wakeReader();
        if (taken.length >= limits.items || bytes >= limits.bytes) {
          await new Promise<void>((resolve) => {
            wakeTaker = resolve;
          });
        }
      }
    } catch (error) {
      end.failed = true;
      end.error = error;
    }
    end.reached = true;
    wakeReader();
  };

  void takeAll();
  try {
    while (taken.length > 0 || !end.reached) {
      if (taken.length === 0) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      } else {
        const items = taken;
        taken = [];
        bytes = 0;
        wakeTaker();
        yield items;
      }
    }
  } finally {
    abandoned = true;
    wakeTaker();
    taken.forEach(onLeft);
  }
  if (end.failed) {
    throw end.error;
  }
}
