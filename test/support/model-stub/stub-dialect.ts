/** How the stub reads what it is asked, and writes what a script answers, in one dialect. */
import type { Answer, Block, ModelRequest } from './turns.ts';

export interface StubFrames {
  /** Of server-sent events, each with its end. */
  frames: string[];
  /** So many of them are there when the first block is half written. */
  cutAfter: number;
}

export interface StubDialect {
  /** Also what a script reads of requests in the other dialects. */
  read(body: unknown): ModelRequest;
  frames(blocks: readonly Block[], request: ModelRequest): StubFrames;
  whole(blocks: readonly Block[], request: ModelRequest): object;
  error(answer: Extract<Answer, { type: 'error' }>): object;
}

export const frame = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** In two halves, as a stream cuts text anywhere. */
export function halvesOf(block: Block): [string, string] {
  const text = textOf(block);
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)];
}

/** What a block says, or what its tool is given. */
export const textOf = (block: Block): string =>
  block.type === 'text' ? block.text : JSON.stringify(block.input);

export const usage = { input_tokens: 25, output_tokens: 12 };

export const openaiError = ({ kind, message }: Extract<Answer, { type: 'error' }>) => ({
  error: { message, type: kind, param: null, code: kind },
});
