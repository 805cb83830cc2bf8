/** The body of an answer as text, within bounds. */
import { explainConnectionError } from '../../lib/outbound/connection-errors.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import { type HttpAnswer, readResponseBody } from '../../lib/outbound/send.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { utf8Decoder } from './utf8-decoder.ts';

/** Throws OutboundError for an answer in an encoding, which was not asked for. */
export function refuseEncoding({ url, headers, body }: Pick<HttpAnswer, 'url' | 'headers' | 'body'>): void {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    body.destroy();
    throw new OutboundError(
      'invalid_response',
      `${url.host} sends a compressed answer, which it was not asked for`,
    );
  }
}

/** One that arrives in drops is as good as none: `limitMs` is for the whole. Throws OutboundError. */
export async function readText(
  { url, headers, body }: HttpAnswer,
  maxBytes: number,
  limitMs: number,
): Promise<string> {
  refuseEncoding({ url, headers, body });
  const late = () => {
    throw new OutboundError(
      'timed_out',
      `${url.host} took longer than ${limitMs / 1000} seconds to send its answer`,
    );
  };
  try {
    const whole = readResponseBody(body, maxBytes, `the answer of ${url.host}`);
    return utf8Decoder(url.host)(await abandonAfter(limitMs, whole, late));
  } catch (error) {
    throw explainConnectionError(url, error);
  } finally {
    body.destroy();
  }
}
