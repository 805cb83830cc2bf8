/** Text of a server. Bytes that are not UTF-8 would be replaced, which changes what was said. */
import { OutboundError } from '../../lib/outbound/errors.ts';

/** Decodes piece by piece. Throws OutboundError `invalid_response`. */
export function utf8Decoder(host: string): (chunk: Buffer) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: true });
    } catch {
      throw new OutboundError('invalid_response', `${host} sent text that is not UTF-8`);
    }
  };
}
