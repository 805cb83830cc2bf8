/** What a scripted model answers, turn by turn. */
import * as z from 'zod';

export type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> };

export type Answer =
  /** `pauseMs`: before each event of its stream. */
  | { type: 'message'; blocks: Block[]; pauseMs: number }
  /** The stream ends in the middle of the first block. */
  | { type: 'cut'; blocks: Block[] }
  | { type: 'error'; status: number; kind: string; message: string };

/** An answer, or one that depends on what was asked. */
export type Turn = Answer | ((request: ModelRequest) => Answer);

const toolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().optional(),
  content: z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))]),
});

/** A request's body, as far as tests look at it, in the form of the Messages API. */
export const modelRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(z.looseObject({ text: z.string() }))]).optional(),
  tools: z
    .array(
      z.looseObject({
        ...{ name: z.string(), description: z.string().optional(), type: z.string().optional() },
        /** With which the name begins, in a dialect that has them. */
        namespace: z.string().optional(),
      }),
    )
    .optional(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.union([
        z.string(),
        z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
      ]),
    }),
  ),
});
export type ModelRequest = z.infer<typeof modelRequest>;

let calls = 0;

export const say = (text: string): Block => ({ type: 'text', text });
export function call(name: string, input: Record<string, unknown> = {}): Block {
  calls += 1;
  return { type: 'tool_use', id: `toolu_${calls}`, name: `mcp__${name.replace('.', '__')}`, input };
}

export const turn = (...blocks: Block[]): Answer => ({ type: 'message', blocks, pauseMs: 0 });
export const slowTurn = (pauseMs: number, ...blocks: Block[]): Answer => ({
  type: 'message',
  blocks,
  pauseMs,
});
export const cutTurn = (...blocks: Block[]): Answer => ({ type: 'cut', blocks });
export const failure = (status: number, kind: string, message: string = kind): Answer => ({
  type: 'error',
  status,
  kind,
  message,
});
export const overloaded = failure(529, 'overloaded_error', 'Overloaded');
export const rateLimited = failure(429, 'rate_limit_error', 'Too many requests');

/** The results that a request brings to the model: those after its last answer. */
export function newResults({ messages }: ModelRequest): { failed: boolean; text: string }[] {
  return newContent(messages).flatMap((block) => {
    const result = toolResult.safeParse(block);
    if (!result.success) {
      return [];
    }
    const { content, is_error: failed = false } = result.data;
    const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n');
    return [{ failed, text: withoutFrame(withoutReminders(text)) }];
  });
}

/** What it says to the model since its last answer. */
export const newTexts = ({ messages }: ModelRequest): string[] =>
  newContent(messages)
    .flatMap(({ type, text = '' }) => (type === 'text' ? [withoutReminders(text)] : []))
    .filter((text) => text !== '');

/** What the client itself adds about the day, the machine and its budget. */
const withoutReminders = (text: string): string =>
  text.replaceAll(/<system-reminder>.*?<\/system-reminder>/gs, '').trim();

/** What Codex puts in front of each result. */
const withoutFrame = (text: string): string => text.replace(/^Wall time: [\d.]+ seconds\nOutput:\n/, '');

function newContent(messages: ModelRequest['messages']): { type: string; text?: string | undefined }[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content));
}
