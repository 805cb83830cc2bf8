/**
 * Takes texts of messages through the SDK's transport, which parses what a server sends and passes on the
 * value: numbers, doubled and unknown members would not survive. It gets a small message with a number in the
 * place of each, and the text is put back behind it.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { ServerMessage } from './server-message.ts';

const method = 'sealed';

export class SealedMessages {
  readonly #messages = new Map<number, ServerMessage>();
  #last = 0;

  /** What to give to the transport, as JSON. */
  seal(message: ServerMessage): string {
    this.#last += 1;
    this.#messages.set(this.#last, message);
    const content = { [method]: this.#last };
    return JSON.stringify(
      message.answers === null
        ? { jsonrpc: '2.0', method, params: content }
        : { jsonrpc: '2.0', id: message.answers, result: content },
    );
  }

  /**
   * The message behind what the transport passes on; null for what was not sealed
   * here. Each is returned once.
   */
  open(passed: JSONRPCMessage): ServerMessage | null {
    const content = 'result' in passed ? passed.result : 'params' in passed ? passed.params : undefined;
    const number = Number(content?.[method]);
    const message = this.#messages.get(number) ?? null;
    this.#messages.delete(number);
    return message;
  }
}
