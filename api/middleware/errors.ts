/**
 * The one place that turns a failure into a response. Unexpected errors are logged and
 * answered without detail.
 */
import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { type ErrorBody, httpStatusByCode } from '../../contract/errors.ts';
import { hasSqlState, NoConnectionError, sqlState } from '../../store/database.ts';
import { InvalidCursorError } from '../../store/page.ts';
import { QuotaExceededError } from '../../store/quotas/quotas.ts';
import { ApiError, invalid, workspaceClosed } from '../errors.ts';
import { requestState } from './request-state.ts';

export function answerErrors(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (error) {
      const state = requestState(ctx);
      const known = knownError(error);
      const cause = known === null ? error : known.cause;
      if (cause !== undefined) {
        log[known === null ? 'error' : 'warn'](
          { request_id: state.requestId, route: state.route, error: describe(cause, state.secretBody) },
          'request failed',
        );
      }
      answer(ctx, known ?? new ApiError('internal_error', 'Something went wrong'), state.requestId);
    }
  };
}

function knownError(error: unknown): ApiError | null {
  if (error instanceof InvalidCursorError) {
    return invalid([{ path: 'cursor', code: 'invalid_cursor', message: error.message }]);
  }
  if (error instanceof QuotaExceededError) {
    const { message, retryAfterSeconds } = error;
    return retryAfterSeconds === null
      ? new ApiError('conflict', message)
      : new ApiError('rate_limited', message, { retryAfterSeconds });
  }
  if (hasSqlState(error, sqlState.queryCanceled)) {
    const message = 'The database took too long for this request, so it was stopped; try again later';
    return new ApiError('unavailable', message, { cause: error, retryAfterSeconds: 5 });
  }
  if (error instanceof NoConnectionError) {
    const message = 'The database has no connection for this request right now; try again in a few seconds';
    return new ApiError('unavailable', message, { cause: error, retryAfterSeconds: 5 });
  }
  if (hasSqlState(error, sqlState.workspaceClosed)) {
    return workspaceClosed();
  }
  return error instanceof ApiError ? error : null;
}

function answer(ctx: Context, error: ApiError, requestId: string): void {
  if (ctx.headerSent) {
    // Too late for a status: closing the connection tells the client that the response is incomplete.
    ctx.res.destroy();
    return;
  }
  ctx.status = httpStatusByCode[error.code];
  if (error.retryAfterSeconds !== undefined) {
    ctx.set('Retry-After', String(error.retryAfterSeconds));
  }
  const body: ErrorBody = {
    error: {
      code: error.code,
      message: error.message,
      ...(error.fields && { fields: error.fields }),
      ...(error.uses && { uses: error.uses }),
      request_id: requestId,
    },
  };
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.type = 'html';
    ctx.body = errorPage(error.message, requestId);
  } else {
    ctx.body = body;
  }
}

/** For a browser that was led here: a way back, where JSON would leave a person stranded. */
const errorPage = (message: string, requestId: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(message)}</title>
<h1>${escapeHtml(message)}</h1>
<p><a href="/">Back to the platform</a></p>
<p>Request ${escapeHtml(requestId)}</p>
</html>
`;

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/**
 * What the log may know of an unexpected error. Not the error itself: a database error carries rows, and the
 * text of any error may quote the request, so a route that takes secrets logs kind and place only.
 */
function describe(error: unknown, secretBody: boolean): Record<string, unknown> {
  if (typeof error !== 'object' || error === null) {
    return { kind: typeof error };
  }
  const { name, message, stack, code, constraint } = error as Record<string, unknown>;
  const frames = typeof stack === 'string' ? stack.slice(stack.indexOf('\n    at ')) : undefined;
  return { name, code, constraint, frames, ...(secretBody ? {} : { message }) };
}
