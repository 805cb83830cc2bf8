/** Why a request failed. Everything that the pages catch from the API is one of these. */

export interface FieldProblem {
  path: string;
  code: string;
  message: string;
}

export interface Use {
  type: string;
  id: string;
  name: string;
}

export class ApiFailure extends Error {
  override name = 'ApiFailure';
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The API's code, such as `validation_failed`; `unreachable` when there was no answer. */
  readonly code: string;
  readonly fields: FieldProblem[];
  /** What blocks a removal (`in_use`). */
  readonly uses: Use[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    more: {
      status: number;
      code: string;
      fields?: FieldProblem[];
      uses?: Use[];
      requestId?: string | null;
      retryAfterSeconds?: number | null;
    },
  ) {
    super(message);
    this.status = more.status;
    this.code = more.code;
    this.fields = more.fields ?? [];
    this.uses = more.uses ?? [];
    this.requestId = more.requestId ?? null;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }
}

/** Why a sign-in ended, in the platform's words; null where it was not, or says nothing. */
export const whyEnded = (failure: ApiFailure): string | null =>
  failure.code === 'sign_in_ended' ? failure.message : null;

export const unreachable = () =>
  new ApiFailure('The platform is unreachable.', { status: 0, code: 'unreachable' });

/** From an answer that is not a success. A body that is not the API's (a proxy's page) is not shown. */
export function failureOf(
  answer: { status: number; headers: { get(name: string): string | null } },
  body: unknown,
): ApiFailure {
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
  const retryAfter = Number(answer.headers.get('Retry-After') ?? Number.NaN);
  return new ApiFailure(textOf(error['message']) ?? `The platform responded with status ${answer.status}.`, {
    status: answer.status,
    code: textOf(error['code']) ?? 'unknown',
    fields: listOf(error['fields'], ['path', 'code', 'message']),
    uses: listOf(error['uses'], ['type', 'id', 'name']),
    requestId: textOf(error['request_id']),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function listOf<Key extends string>(value: unknown, keys: readonly Key[]): Record<Key, string>[] {
  const items = Array.isArray(value) ? value.filter(isRecord) : [];
  return items.map(
    (item) => Object.fromEntries(keys.map((key) => [key, textOf(item[key]) ?? ''])) as Record<Key, string>,
  );
}

/** Whether a retry may help: no answer, a busy platform, an internal error. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof ApiFailure) || error.status === 0 || error.status >= 500;
}

/** Whether a rate limit refused the request. */
export const isBusy = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && error.status === 429;
