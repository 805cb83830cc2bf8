/**
 * What an agent has written of a message that it still writes (docs/decisions/0070-live-text.md). It is no
 * event: only the message is, or what there was of it when it was cut off.
 */
import * as z from 'zod';
import { chosenId } from './names.ts';

export const maxLiveTextBytes = 64 * 1024;
/** What is said of one message is told at most so often, a long text less often. */
export const liveTextEveryMs = 250;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const everyControl = new RegExp(controls, 'g');
/** Without half a character at its end: the next piece completes it, and begins with this one. */
export const wholeCharacters = (text: string): string => text.replace(/[\ud800-\udbff]$/, '').toWellFormed();
/** Without what moves a cursor or ends a text, and without half a character: all that is ever shown live. */
export const withoutControls = (text: string): string => wholeCharacters(text.replace(everyControl, ''));

/** Bytes of it in UTF-8. */
export const bytesOfText = (text: string): number => new TextEncoder().encode(text).length;

/** `POST /live-text` of the agent's socket: all of the message so far, however much of it was said before. */
export const liveTextInput = z.strictObject({ text: z.string() });

/**
 * `PUT .../live-text`: it replaces what was told before. `message_id`: of the event that the message becomes.
 */
export const liveTextReport = z.strictObject({
  message_id: chosenId,
  text: z
    .string()
    .refine((text) => bytesOfText(text) <= maxLiveTextBytes, `must be at most ${maxLiveTextBytes} bytes`)
    .refine((text) => !controls.test(text), 'must hold no control characters'),
});
export type LiveTextReport = z.infer<typeof liveTextReport>;
