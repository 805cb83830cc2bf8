import { type ErrorCode, httpStatusByCode } from '../../contract/errors.ts';
import { HttpRefusal } from '../http/answer.ts';
import { PlatformRefusal, PlatformUnreachable } from '../platform-api/request.ts';
import { ToolFailure } from '../platform-tools/tool.ts';

/** Maps the platform's refusals to this socket's responses. Anything else is unchanged. */
export function asHttpRefusal(error: unknown): unknown {
  if (error instanceof PlatformUnreachable) {
    return new HttpRefusal('unavailable', error.message);
  }
  if (error instanceof ToolFailure || error instanceof PlatformRefusal) {
    return new HttpRefusal(httpCodeOf(error.code), `${error.code}: ${error.message}`);
  }
  return error;
}

/** A code of this interface is kept; one of the tool side becomes an invalid or a forbidden request. */
function httpCodeOf(code: string): ErrorCode {
  if (Object.hasOwn(httpStatusByCode, code)) {
    return code as ErrorCode;
  }
  return code === 'invalid_request' ? 'validation_failed' : 'forbidden';
}
