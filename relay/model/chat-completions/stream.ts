/**
 * A streamed answer of Chat Completions: chunks, rebuilt of what clients join, then `[DONE]`. A text's tokens
 * (`logprobs`) are left out: each is a piece in which no key is found.
 */
import * as z from 'zod';
import { jsonOrNull } from '../../../contract/json-or-null.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import type { AnswerStream, StreamOptions, StreamStep } from '../dialect.ts';
import { memberOf } from '../member-of.ts';
import { ModelError } from '../model-error.ts';
import { readUsage } from '../openai/form.ts';
import { messageIn } from '../refused-status.ts';
import { TextPieces } from '../text-pieces.ts';

const chunkName = 'chat.completion.chunk';
export const doneMark = '[DONE]';
const usageMembers = {
  input: 'prompt_tokens',
  inputDetails: 'prompt_tokens_details',
  output: 'completion_tokens',
};
export const chatUsage = (usage: unknown): unknown => readUsage(usage, usageMembers);

const text = z.string().nullish();
const pieces = z.object({ name: text, arguments: text, input: text });
const calledTool = z.object({
  index: z.int().min(0).default(0),
  id: text,
  type: text,
  function: pieces.nullish(),
  custom: pieces.nullish(),
});
const delta = z.object({
  role: text,
  content: text,
  refusal: text,
  reasoning_content: text,
  reasoning: text,
  tool_calls: z.array(calledTool).nullish(),
});
const choice = z.object({
  index: z.int().min(0).default(0),
  delta: delta.nullish(),
  finish_reason: text,
});
const chunk = z.object({
  id: text,
  object: text,
  created: z.number().nullish(),
  model: text,
  system_fingerprint: text,
  service_tier: text,
  choices: z.array(choice).nullish(),
  usage: z.unknown().optional(),
});
type Chunk = z.infer<typeof chunk>;
type Choice = z.infer<typeof choice>;
type CalledTool = z.infer<typeof calledTool>;

const textMembers = ['content', 'refusal', 'reasoning_content', 'reasoning'] as const;
/** Texts of a called tool: what a function is given, and what a custom tool is. */
const callMembers = { function: 'arguments', custom: 'input' } as const;
type CallKind = keyof typeof callMembers;

interface Place {
  choice: number;
  /** The delta that has a rest of this text. */
  restOf(rest: string): object;
}
type Head = Omit<Chunk, 'choices' | 'usage'>;

export function openChatStream(options: StreamOptions): AnswerStream {
  const { host, redact, wantsUsage } = options;
  const texts = new TextPieces<Place>(options);
  let head: Head = {};
  const rests = (isOver?: (place: Place) => boolean) =>
    texts.end(isOver).map(({ place, rest }) => ({
      ...head,
      choices: [{ index: place.choice, delta: place.restOf(rest), finish_reason: null }],
    }));

  function take(data: string): StreamStep {
    if (data.trim() === doneMark) {
      return { shown: [...rests(), doneMark], usage: [], shownBytes: 0, isLast: true };
    }
    const value = jsonOrNull(data);
    const failed = memberOf(value, 'error');
    if (failed !== undefined && failed !== null) {
      throw new ModelError('api_error', redact(messageIn(data) ?? `${host} failed`).slice(0, 2000));
    }
    const parsed = chunk.safeParse(value);
    if (!parsed.success) {
      throw new OutboundError('invalid_response', `${host} sent an event that is none of a model`);
    }
    const { choices: given, usage, ...rest } = parsed.data;
    // Some say what a stream took, or that it goes on, without any.
    if (!given && rest.object !== chunkName && chatUsage(usage) === null) {
      throw new OutboundError('invalid_response', `${host} sent an event that is none of a model`);
    }
    const choices = given ?? [];
    head = firstOf(head, rest);
    const ended = new Set(choices.flatMap(({ index, finish_reason: why }) => (why ? [index] : [])));
    const shownChoices = choices.map((each) => shownChoice(each, texts));
    const told = wantsUsage ? { usage } : {};
    const isShown = shownChoices.length > 0 || (wantsUsage && usage !== undefined);
    // What is held back comes before the chunk that ends its choice, and after this chunk's own text.
    const own = isShown ? [{ ...head, choices: shownChoices, ...told }] : [];
    return {
      shown:
        ended.size === 0
          ? own
          : endedLast(
              own,
              rests((place) => ended.has(place.choice)),
            ),
      usage: [chatUsage(usage)],
      shownBytes: choices.reduce((sum, each) => sum + writtenBytes(each), 0),
      isLast: false,
    };
  }
  return { take };
}

/** Each as it was said first: nothing is told in pieces of what names the answer. */
function firstOf(known: Head, said: Head): Head {
  const told = Object.entries(known).filter(([, value]) => Boolean(value));
  return { ...said, ...Object.fromEntries(told) };
}

interface ShownChunk {
  choices: { finish_reason?: string | null | undefined }[];
}

/** The texts of a chunk, the rests, and then that its choices have ended. */
function endedLast<Shown extends ShownChunk>(own: readonly Shown[], rests: readonly object[]): object[] {
  if (rests.length === 0) {
    return [...own];
  }
  return own.flatMap((each) => [
    { ...each, choices: each.choices.map((one) => ({ ...one, finish_reason: null })), usage: undefined },
    ...rests,
    { ...each, choices: each.choices.map((one) => ({ ...one, delta: {} })) },
  ]);
}

function shownChoice({ delta: given, ...rest }: Choice, texts: TextPieces<Place>) {
  const { tool_calls: calls, ...members } = given ?? {};
  const { index } = rest;
  const shown = { ...members, ...atOnce(texts, `${index}`, { role: members.role }) };
  for (const member of textMembers) {
    const piece = members[member];
    if (typeof piece === 'string') {
      const place = { choice: index, restOf: (held: string) => ({ [member]: held }) };
      shown[member] = texts.show({ kind: member, of: String(index), at: [index] }, place, piece);
    }
  }
  const shownCalls = calls?.map((call) => shownCall(index, call, texts));
  return { ...rest, delta: { ...shown, ...(shownCalls === undefined ? {} : { tool_calls: shownCalls }) } };
}

function shownCall(choiceIndex: number, call: CalledTool, texts: TextPieces<Place>): CalledTool {
  const name = `${choiceIndex} tool ${call.index}`;
  const shown = { ...call, ...atOnce(texts, name, { id: call.id, type: call.type }) };
  for (const kind of ['function', 'custom'] as const) {
    const given = call[kind];
    const member = callMembers[kind];
    const piece = given?.[member];
    if (given) {
      shown[kind] = { ...given, ...atOnce(texts, name, { name: given.name }) };
    }
    if (given && typeof piece === 'string') {
      const place = { choice: choiceIndex, restOf: (held: string) => restOfCall(call.index, kind, held) };
      // Those of parallel calls may take turns: clients join them by their index.
      const text = { kind, of: name, at: [choiceIndex, call.index], takesTurns: true };
      shown[kind] = { ...shown[kind], [member]: texts.show(text, place, piece) };
    }
  }
  return shown;
}

/** Texts that come whole, which some clients join. */
function atOnce(texts: TextPieces<Place>, of: string, members: Record<string, string | null | undefined>) {
  const said = Object.entries(members).flatMap(([member, piece]): [string, string][] =>
    piece ? [[member, texts.showAtOnce(`${of} ${member}`, piece)]] : [],
  );
  return Object.fromEntries(said);
}

const restOfCall = (index: number, kind: CallKind, held: string) => ({
  tool_calls: [{ index, [kind]: { [callMembers[kind]]: held } }],
});

/** The names of tools and what they are given are written by the model, too. */
function writtenBytes({ delta: given }: Choice): number {
  const { tool_calls: calls, ...members } = given ?? {};
  const texts = textMembers.map((member) => members[member] ?? '');
  const ofCalls = (calls ?? []).flatMap(({ function: called, custom }) => [
    ...[called?.name ?? '', called?.arguments ?? '', custom?.name ?? '', custom?.input ?? ''],
  ]);
  return Buffer.byteLength([...texts, ...ofCalls].join(''));
}
