/** What the request of every dialect has in common: how it is read, refused and estimated. Pure. */
import * as z from 'zod';
import { fieldPath } from '../../contract/errors.ts';
import { asksForSearch, noSearchByModel } from '../../contract/model-access.ts';
import { parseBoundedJson } from '../../lib/outbound/bounded-json.ts';
import type { RequestRules } from './dialect.ts';
import { ModelError } from './model-error.ts';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema of the agent's, as it is, but for references that whoever reads it might fetch. */
export const jsonSchema = z
  .custom<Record<string, unknown>>(isObject, 'must be a JSON schema')
  .refine((schema) => !namesOtherDocument(schema), 'must not refer to another document with $ref');

export const tokenCount = z.int().min(0).max(1_000_000_000);
export const modelToAsk = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !asksForSearch(name), noSearchByModel);
/** Of a field that has to be absent, and why. */
export const ledPast = (what: string) => `must be absent: ${what} would lead past the platform`;

const references = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Its depth is bounded before. */
function namesOtherDocument(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.some(namesOtherDocument);
  }
  if (!isObject(value)) {
    return false;
  }
  const isElsewhere = (key: string) => {
    const reference = Object.hasOwn(value, key) ? value[key] : undefined;
    return typeof reference === 'string' && !reference.startsWith('#');
  };
  return references.some(isElsewhere) || Object.values(value).some(namesOtherDocument);
}

/**
 * The allowed fields of a request, for a model that may be asked. Throws ModelError, with the name of the
 * field that is wrong.
 */
export function parseRequestBody<Body extends { model: string }>(
  bytes: Buffer,
  schema: z.ZodType<Body>,
  { models, bodyValues }: Pick<RequestRules, 'models' | 'bodyValues'>,
): Body {
  const json = parseBoundedJson(bytes, bodyValues);
  if ('problem' in json) {
    throw invalid(`The request ${json.problem}`);
  }
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) {
    throw invalid(firstProblem(parsed.error.issues));
  }
  if (models.length > 0 && !models.includes(parsed.data.model)) {
    const named = models.join(', ');
    throw new ModelError('invalid_request_error', `model: this agent may ask ${named} alone`, {
      mayRetry: false,
    });
  }
  return parsed.data;
}

const invalid = (why: string) => new ModelError('invalid_request_error', why);

/** Of what may be a text or a list, the list is what is wrong when it is one. */
function firstProblem([issue]: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): string {
  if (issue === undefined) {
    return 'the request: is not valid';
  }
  const path = [...prefix, ...issue.path];
  const meant =
    issue.code === 'invalid_union'
      ? issue.errors.find((branch) =>
          branch.every(({ code, path: at }) => code !== 'invalid_type' || at.length > 0),
        )
      : undefined;
  return meant === undefined
    ? `${fieldPath(path) || 'the request'}: ${issue.message}`
    : firstProblem(meant, path);
}

/** Text has about four bytes a token; of images and documents the size says less. */
const bytesPerToken = 4;
const base64BytesPerToken = 20;
const tokensPerSource = 2000;

/** `sources`: the base64 texts in it. */
export function estimateInput(body: Buffer, sources: readonly string[]): number {
  const sourceBytes = sources.reduce((sum, { length }) => sum + length, 0);
  return Math.ceil(
    (body.length - sourceBytes) / bytesPerToken +
      sourceBytes / base64BytesPerToken +
      sources.length * tokensPerSource,
  );
}
