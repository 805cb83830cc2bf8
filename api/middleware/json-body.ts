/**
 * Reads a JSON body and checks its type, size, encoding and text; its meaning is up to the route's schema.
 */
import type { Context } from 'koa';
import { type FieldProblem, fieldPath, fieldProblemLimits } from '../../contract/errors.ts';
import { holdsMoreValues, maxRequestValues } from '../../contract/json-values.ts';
import { repeatedKey } from '../../contract/repeated-key.ts';
import { collectBytes } from '../../lib/timing/collected-bytes.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { ApiError, invalid } from '../errors.ts';
import { requestState } from './request-state.ts';

const maxDepth = 64;

export interface BodyLimits {
  maxBytes: number;
  /** For all of the body, from its first byte on: who sends the rest late holds a place of the user. */
  deadlineMs: number;
}

/**
 * The body as a value; an absent body is `{}`, so that each missing field is named.
 * Throws 400 `malformed_request`, also for a body that is late, 413 `too_large`, 415
 * `unsupported_media_type`, 422 for text that cannot be stored as it is, and 429 `rate_limited` when a body
 * without a length exceeds its sender's byte rate.
 */
export async function readJsonBody(ctx: Context, limits: BodyLimits): Promise<unknown> {
  const seconds = limits.deadlineMs / 1000;
  const bytes = await abandonAfter(limits.deadlineMs, readBytes(ctx, limits.maxBytes), () => {
    throw new ApiError(
      'malformed_request',
      `The body did not arrive within ${seconds} seconds; send it again`,
    );
  }).catch((error: unknown) => {
    // The rest of the body is discarded, and the connection is not used again.
    ctx.set('Connection', 'close');
    ctx.req.resume();
    throw error;
  });
  if (bytes.length === 0) {
    return {};
  }
  if (ctx.request.is('application/json') === false || ctx.get('Content-Encoding') !== '') {
    throw new ApiError('unsupported_media_type', 'The body must be application/json, not compressed');
  }
  if (holdsMoreValues(bytes, maxRequestValues)) {
    throw new ApiError('too_large', `The limit is ${maxRequestValues} JSON values for a request body`);
  }
  const { text, value } = parse(bytes);
  const problems = textProblems(value);
  if (problems.length > 0) {
    throw invalid(problems);
  }
  const twice = repeatedKey(text);
  if (twice !== null) {
    throw invalid([
      { path: fieldPath(twice), code: 'repeated_field', message: 'is there twice; send it once' },
    ]);
  }
  return value;
}

async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  const request = ctx.req;
  const { countBody } = requestState(ctx);
  const tooLarge = () => new ApiError('too_large', `The limit is ${maxBytes} bytes for a request body`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw tooLarge();
  }
  try {
    return await collectBytes(request.iterator({ destroyOnReturn: false }), {
      maxBytes,
      tooLarge,
      onChunk: countBody,
    });
  } catch (error) {
    if (error instanceof ApiError) {
      throw error;
    }
    throw new ApiError('malformed_request', 'The connection ended before the body did');
  }
}

/** The parser's own message is not passed on: it quotes the body. */
function parse(bytes: Buffer): { text: string; value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw new ApiError('malformed_request', 'The body is not valid JSON in UTF-8');
  }
}

/**
 * Finds what JSON allows but the store or a schema would silently drop or change: NUL and lone surrogates in
 * text, and a field named `__proto__`. At most as many problems as one answer holds.
 */
function textProblems(value: unknown): FieldProblem[] {
  const found: FieldProblem[] = [];
  addTextProblems(found, value, []);
  return found;
}

function addTextProblems(found: FieldProblem[], value: unknown, path: readonly string[]): void {
  if (path.length > maxDepth) {
    throw new ApiError('malformed_request', `The limit is ${maxDepth} levels of nesting`);
  }
  if (typeof value === 'string') {
    if (!isStorable(value)) {
      found.push(problem(path, 'must be valid Unicode without a NUL character'));
    }
    return;
  }
  if (typeof value !== 'object' || value === null) {
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (found.length >= fieldProblemLimits.problems) {
      return;
    }
    if (isStorable(key) && key !== '__proto__') {
      addTextProblems(found, inner, [...path, key]);
    } else {
      found.push(problem([...path, key.toWellFormed().replaceAll('\0', '')], 'is not a usable field name'));
    }
  }
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function problem(path: readonly string[], message: string): FieldProblem {
  return { path: fieldPath(path), code: 'invalid_text', message };
}
