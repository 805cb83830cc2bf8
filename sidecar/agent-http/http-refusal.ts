import { type ErrorCode, httpStatusByCode } from '../../contract/errors.ts';
import { HttpRefusal } from '../http/answer.ts';
import { PlatformRefusal, PlatformUnreachable } from '../platform-api/request.ts';
import { ToolFailure } from '../platform-tools/tool.ts';

/** The platform's refusals, as this socket tells them. Anything else stays what it is. */
export function asHttpRefusal(error: unknown): unknown {
  if (error instanceof PlatformUnreachable) {
    return new HttpRefusal('unavailable', error.message);
  }
  if (error instanceof ToolFailure || error instanceof PlatformRefusal) {
    return new HttpRefusal(httpCodeOf(error.code), `${error.code}: ${error.message}`);
  }
  return error;
}

/** A code of this interface stays; one of the tool side is a request that was not valid, or not allowed. */
function httpCodeOf(code: string): ErrorCode {
  if (Object.hasOwn(httpStatusByCode, code)) {
    return code as ErrorCode;
  }
  return code === 'invalid_request' ? 'validation_failed' : 'forbidden';
}
