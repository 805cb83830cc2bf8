/**
 * What Chat Completions and Responses have in common: headers, errors, usage, and what goes by `data:` alone.
 * Pure.
 */
import * as z from 'zod';
import type { Dialect } from '../dialect.ts';
import { memberOf } from '../member-of.ts';
import type { ModelError, ModelErrorType } from '../model-error.ts';
import { jsonSchema, tokenCount } from '../request-body.ts';

export const bearerHeaders: Dialect['headers'] = (key) => ({ authorization: `Bearer ${key}` });
export const openaiRequestId = 'x-request-id';

/** What clients of these dialects know an error by. */
const codes: Readonly<Record<ModelErrorType, string>> = {
  invalid_request_error: 'invalid_request',
  billing_error: 'insufficient_quota',
  not_found_error: 'not_found',
  request_too_large: 'request_too_large',
  rate_limit_error: 'rate_limit_exceeded',
  api_error: 'server_error',
  timeout_error: 'timeout',
  overloaded_error: 'server_is_overloaded',
};
export const errorCode = ({ type }: ModelError): string => codes[type];

export const openaiErrorBody = (error: ModelError): string => {
  const { message, type } = error;
  return JSON.stringify({ error: { message, type, param: null, code: errorCode(error) } });
};

const isDataUrl = (text: string) => /^data:[a-z0-9.+-]+\/[a-z0-9.+-]+;base64,/i.test(text.slice(0, 200));
/** Bytes within the request; an address would have the endpoint fetch it. */
export const dataUrl = z
  .string()
  .refine(isDataUrl, 'must be a data: URL in base64: the model is given nothing by address');
/** Where the dialect has base64 alone, and some endpoints take an address too. */
export const base64Bytes = z
  .string()
  .refine(
    (text) => !/[^A-Za-z0-9+/_=-]/.test(text) || isDataUrl(text),
    'must be base64: the model is given nothing by address',
  );
/** The name of a file that the endpoint keeps. */
export const noFileId = z.null('must be absent: the model is given nothing by file').optional();

export const reasoningEffort = z.string().max(20).nullish();
export const serviceTier = z
  .enum(['auto', 'default'], 'must be "auto", "default" or absent: others cost more')
  .nullish();
export const namedFormat = {
  name: z.string(),
  description: z.string().nullish(),
  schema: jsonSchema,
  strict: z.boolean().nullish(),
};

/** Of a tool whose input is a text. */
export const grammar = { syntax: z.enum(['lark', 'regex']), definition: z.string() };

/** Of what an answer may have: to some endpoints 0 is no maximum. */
export const mostWritten = tokenCount.min(1).nullish();
/** A request's own maximum, or the one that is written into it. */
export const maximumOf = (given: readonly (number | null | undefined)[], otherwise: number): number => {
  const named = given.filter((each) => typeof each === 'number');
  return named.length === 0 ? otherwise : Math.max(...named);
};

interface UsageMembers {
  input: string;
  inputDetails: string;
  output: string;
}

/**
 * As `usage` of the Messages API, where what was read from a cache is no part of the input. Some endpoints
 * count what the model thought in the total alone. Null for what says nothing.
 */
export function readUsage(usage: unknown, { input, inputDetails, output }: UsageMembers): unknown {
  const all = countOf(memberOf(usage, input));
  const written = countOf(memberOf(usage, output));
  if (all === null && written === null) {
    return null;
  }
  const total = countOf(memberOf(usage, 'total_tokens')) ?? 0;
  const cached = Math.min(countOf(memberOf(memberOf(usage, inputDetails), 'cached_tokens')) ?? 0, all ?? 0);
  return {
    ...(all === null ? {} : { input_tokens: all - cached, cache_read_input_tokens: cached }),
    ...(written === null ? {} : { output_tokens: Math.max(written, total - (all ?? total)) }),
  };
}

const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
