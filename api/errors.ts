/**
 * The one error type that handlers throw on purpose; `middleware/errors.ts` alone turns it into a response.
 */
import type { ErrorCode, FieldProblem } from '../contract/errors.ts';
import type { Refusal } from './policies/refusal.ts';

export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly fields: FieldProblem[] | undefined;
  readonly uses: { type: string; id: string; name: string }[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      fields?: FieldProblem[];
      uses?: { type: string; id: string; name: string }[];
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.fields = more.fields;
    this.uses = more.uses;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

export const notFound = (what: string) => new ApiError('not_found', `${what} was not found`);
export const forbidden = (rule: string) => new ApiError('forbidden', rule);
/** Throws 403 `forbidden` with the rule that a policy found violated, if any. */
export function requireAllowed(rule: Refusal): void {
  if (rule !== null) {
    throw forbidden(rule);
  }
}

export const invalid = (fields: FieldProblem[], message = 'Some fields are not valid') =>
  new ApiError('validation_failed', message, { fields });
/** Nothing begins there, and nothing is changed. */
export const workspaceClosed = () =>
  new ApiError('workspace_closed', 'The workspace is closed: it can be read, and an admin can reopen it');
export const reusedKey = () =>
  invalid([{ path: 'Idempotency-Key', code: 'reused', message: 'was used for another request' }]);
/** `what`: such as `an agent`. `by`: the name that the workspace has; it may be gone again. */
export function nameTaken(what: string, by: string | null): ApiError {
  const message = `The workspace already has ${what} of this name, or of one that readers would take for it${by === null ? '' : `: "${by}"`}`;
  return new ApiError('conflict', message, { fields: [{ path: 'name', code: 'name_taken', message }] });
}
