/**
 * Error codes of the HTTP API and of the tool side, and the one table from code to
 * status (docs/api.md#errors).
 */
import * as z from 'zod';
import { isRequired } from './plain-messages.ts';

export const httpStatusByCode = {
  malformed_request: 400,
  unauthenticated: 401,
  sign_in_ended: 401,
  forbidden: 403,
  passkey_required: 403,
  sign_in_again: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  in_use: 409,
  already_decided: 409,
  workspace_closed: 409,
  too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof httpStatusByCode;

/** One wrong field: `path` such as `env.API_TOKEN` or `shape.args.0`. */
export const fieldProblem = z.strictObject({ path: z.string(), code: z.string(), message: z.string() });
export type FieldProblem = z.infer<typeof fieldProblem>;

export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(httpStatusByCode) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    fields: z.array(fieldProblem).optional(),
    /** What prevents a removal (409 `in_use`). */
    uses: z.array(z.strictObject({ type: z.string(), id: z.string(), name: z.string() })).optional(),
    request_id: z.string(),
  }),
});
export type ErrorBody = z.infer<typeof errorBody>;

/**
 * Limits of the problems in one answer: hostile input has one in every value, each at a path as
 * long as the input itself.
 */
export const fieldProblemLimits = { problems: 100, characters: 300 };

/** Returns the dotted path, truncated at its limit. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.map(cut).join('.').slice(0, fieldProblemLimits.characters);
}

const cut = (text: PropertyKey) => String(text).slice(0, fieldProblemLimits.characters);

/**
 * Converts a zod error to field problems with dotted paths, at most as many as one answer holds. Each
 * unknown key is one problem.
 */
export function fieldProblemsOf(error: z.ZodError, prefix: readonly PropertyKey[] = []): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const issue of error.issues) {
    const room = fieldProblemLimits.problems - problems.length;
    if (room === 0) {
      break;
    }
    problems.push(...problemsOf(issue, prefix, room));
  }
  return problems;
}

function problemsOf(issue: z.core.$ZodIssue, prefix: readonly PropertyKey[], room: number): FieldProblem[] {
  const at = (...more: PropertyKey[]) => fieldPath([...prefix, ...issue.path, ...more]);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, room)
      .map((key) => ({ path: at(key), code: 'unknown_field', message: `unknown field "${cut(key)}"` }));
  }
  if (issue.code === 'invalid_key') {
    // The violated rule is more helpful than "invalid key".
    return issue.issues.slice(0, room).map(({ message }) => ({ path: at(), code: issue.code, message }));
  }
  // The issue itself does not hold the input: it could be a secret.
  return issue.message === isRequired
    ? [{ path: at(), code: 'required', message: isRequired }]
    : [{ path: at(), code: issue.code, message: issue.message }];
}

/** What one message names; a call with more problems has one cause for most of them. */
const namedProblems = 5;

/** The first problems in one sentence, and how many others there are. */
export function sentenceOfProblems(error: z.ZodError): string {
  const problems = fieldProblemsOf(error);
  const named = problems
    .slice(0, namedProblems)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const others = problems.length - named.length;
  return named.join('; ') + (others > 0 ? `; and ${others} more` : '');
}
