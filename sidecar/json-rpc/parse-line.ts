/**
 * One line of bytes to one message, or the reason why not. The gate decides on the message while the other
 * side reads the bytes, so a line passes only when every parser must read it the same way.
 */
import { isUtf8 } from 'node:buffer';
import { inspectJson, type JsonInspection } from './inspect-json.ts';
import { openBrace, space } from './json-characters.ts';
import { JsonReader, type JsonReading, NotJsonError } from './json-reader.ts';
import { nextLoopTurn } from './loop-turn.ts';
import { isObject, type Message, type Params, type RequestId } from './message.ts';

export type LineProblem =
  | 'too_large'
  | 'too_many_values'
  | 'control_byte'
  | 'not_utf8'
  | 'not_json'
  | 'not_an_object'
  | 'duplicate_key'
  | 'bad_key'
  | 'too_deep'
  | 'unknown_member'
  | 'bad_version'
  | 'bad_id'
  | 'bad_method'
  | 'bad_params'
  | 'bad_result'
  | 'bad_error'
  | 'mixed_message';

/**
 * `rawArguments`: `params.arguments` as written, since different numbers may be equal after `JSON.parse`; of
 * a long line its bytes. `id` is what a refusal can be answered with, or null where none is certain.
 */
export type ParsedLine =
  | { ok: true; message: Message; rawArguments: RawArguments }
  | { ok: false; problem: LineProblem; id: RequestId | null };

export type RawArguments = JsonInspection['rawArguments'];

const maxDepth = 64;
export const maxIdLength = 256;
const members = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
const carriageReturn = 0x0d;
const relatedTask = 'io.modelcontextprotocol/related-task';
/** Characters below the space. */
const controlCharacter = /[^ -\uffff]/;
/** Those that JSON allows between tokens; searching for each is many times faster than the expression. */
const controlsInJson = ['\t', '\r', '\n'];
/** In an id: what a reader may cut off, drop or replace. */
const unreadableInId = /[\p{Cc}\p{Cs}]/u;

/**
 * A longer line is parsed in turns: at once, it would block the event loop for more than a few milliseconds.
 */
export const longLineBytes = 16 * 1024;
/** A small part of a turn. */
const tokensOfTurn = 256;
/** Looking at as many takes no longer than a turn. */
export const bytesOfTurn = 64 * 1024;
const turnMs = 0.25;

/**
 * Takes a line without its line feed (one carriage return at the end is part of the
 * line ending). Never throws.
 */
export function parseLine(line: Buffer): ParsedLine {
  if (!isUtf8(line)) {
    return refusal('not_utf8');
  }
  const text = textOf(line);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refusal(controlCharacter.test(text) ? 'control_byte' : 'not_json');
  }
  if (controlsInJson.some((control) => text.includes(control))) {
    return refusal('control_byte');
  }
  return isObject(value) ? parseEnvelope(value, inspectJson(text, maxDepth)) : refusal('not_an_object');
}

/**
 * As `parseLine`, while other work gets its turn several times in a millisecond, however long the line is.
 * Without `keepsPayloads` what a call or a result carries (`params.arguments`, `result.content`,
 * `result.structuredContent`) is checked alike, and empty in the message.
 */
export async function parseLineInTurns(line: Buffer, keepsPayloads: boolean): Promise<ParsedLine> {
  await nextLoopTurn();
  if (!isUtf8(line)) {
    return refusal('not_utf8');
  }
  const bytes = withoutReturn(line);
  const reading = await readInTurns(bytes, keepsPayloads);
  if (typeof reading === 'string') {
    return refusal(reading);
  }
  // With a problem there is no value; an object starts with its brace.
  const { value, problem } = reading;
  if (problem !== null) {
    const isInObject = bytes.find((byte) => byte !== space) === openBrace;
    return refusal(isInObject ? problem : 'not_an_object');
  }
  return isObject(value) ? parseEnvelope(value, reading) : refusal('not_an_object');
}

const withoutReturn = (line: Buffer): Buffer =>
  line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;

/** A byte order mark stays in the text, where it is invalid JSON. */
const textOf = (line: Buffer): string => withoutReturn(line).toString();

/** What invalid JSON is refused for in place of a reading. */
async function readInTurns(
  bytes: Buffer,
  keepsPayloads: boolean,
): Promise<JsonReading | 'control_byte' | 'not_json'> {
  const reader = new JsonReader(bytes, { maxDepth, keepsPayloads });
  try {
    for (;;) {
      await nextLoopTurn();
      const endMs = performance.now() + turnMs;
      do {
        const reading = reader.read(tokensOfTurn);
        if (reading !== null) {
          return reading;
        }
      } while (performance.now() < endMs);
    }
  } catch (error) {
    if (error instanceof NotJsonError) {
      return (await holdsControl(bytes, reader.at)) ? 'control_byte' : 'not_json';
    }
    throw error;
  }
}

/** Whether a control byte follows from `start` on. */
async function holdsControl(bytes: Buffer, start: number): Promise<boolean> {
  for (let from = start; from < bytes.length; from += bytesOfTurn) {
    await nextLoopTurn();
    if (bytes.subarray(from, from + bytesOfTurn).some((byte) => byte < space)) {
      return true;
    }
  }
  return false;
}

function parseEnvelope(
  envelope: Record<string, unknown>,
  { problem, rawId, rawArguments }: JsonInspection,
): ParsedLine {
  if (problem !== null) {
    return refusal(problem);
  }
  const id = usableId(envelope['id'], rawId);
  if (Object.keys(envelope).some((key) => !members.has(key))) {
    return refusal('unknown_member', id);
  }
  if (envelope['jsonrpc'] !== '2.0') {
    return refusal('bad_version', id);
  }
  return Object.hasOwn(envelope, 'method')
    ? parseCall(envelope, id, rawArguments)
    : parseAnswer(envelope, id);
}

function parseCall(
  envelope: Record<string, unknown>,
  id: RequestId | null,
  rawArguments: RawArguments,
): ParsedLine {
  const { method, params = {} } = envelope;
  if (Object.hasOwn(envelope, 'result') || Object.hasOwn(envelope, 'error')) {
    return refusal('mixed_message', id);
  }
  if (typeof method !== 'string') {
    return refusal('bad_method', id);
  }
  if (!isObject(params)) {
    return refusal('bad_params', id);
  }
  if (!Object.hasOwn(envelope, 'id')) {
    return accept({ kind: 'notification', method, params }, rawArguments);
  }
  return id === null ? refusal('bad_id') : accept({ kind: 'request', id, method, params }, rawArguments);
}

function parseAnswer(envelope: Record<string, unknown>, id: RequestId | null): ParsedLine {
  const { result, error } = envelope;
  if (
    Object.hasOwn(envelope, 'params') ||
    Object.hasOwn(envelope, 'result') === Object.hasOwn(envelope, 'error')
  ) {
    return refusal('mixed_message', id);
  }
  if (Object.hasOwn(envelope, 'result')) {
    if (id === null) {
      return refusal('bad_id');
    }
    return isResult(result) ? accept({ kind: 'result', id, result }) : refusal('bad_result', id);
  }
  if (id === null && (envelope['id'] ?? null) !== null) {
    return refusal('bad_id');
  }
  return isError(error) ? accept({ kind: 'error', id, error }) : refusal('bad_error', id);
}

/**
 * Clients wait without end for the answer to a request when they cannot read the one that came: these shapes
 * are what all of them read.
 */
function isResult(result: unknown): result is Params {
  return isObject(result) && (result['_meta'] === undefined || isMeta(result['_meta']));
}

function isMeta(meta: unknown): boolean {
  if (!isObject(meta)) {
    return false;
  }
  const { progressToken: token, [relatedTask]: task } = meta;
  const isToken = token === undefined || typeof token === 'string' || Number.isSafeInteger(token);
  return isToken && (task === undefined || (isObject(task) && typeof task['taskId'] === 'string'));
}

const isError = (error: unknown): error is Params =>
  isObject(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string';

/**
 * A string, or a safe integer in plain form: `1.0` and `1e0` are read back differently by different parsers.
 */
function usableId(id: unknown, raw: string | null): RequestId | null {
  const isId = typeof id === 'string' || (typeof id === 'number' && raw === String(id));
  return isId && isUsableId(id) ? id : null;
}

/** Whether every reader takes the id for the same. */
export const isUsableId = (id: RequestId): boolean =>
  typeof id === 'string' ? id.length <= maxIdLength && !unreadableInId.test(id) : Number.isSafeInteger(id);

function accept(message: Message, rawArguments: RawArguments = null): ParsedLine {
  return { ok: true, message, rawArguments };
}

function refusal(problem: LineProblem, id: RequestId | null = null): ParsedLine {
  return { ok: false, problem, id };
}
