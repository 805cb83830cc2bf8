/**
 * What an agent may send a model as input and tools by Responses. An allow-list, at every level. Ids of items
 * are left out: by them the endpoint looks up what it keeps. Pure.
 */
import * as z from 'zod';
import { dataUrl, grammar, noFileId } from '../openai/form.ts';
import { jsonSchema, ledPast } from '../request-body.ts';

const text = z.string();
const textPart = z.object({ type: z.enum(['input_text', 'output_text']), text });
const refusalPart = z.object({ type: z.literal('refusal'), refusal: text });
const imagePart = z.object({
  type: z.literal('input_image'),
  image_url: dataUrl,
  detail: text.max(20).nullish(),
  file_id: noFileId,
});
const filePart = z.object({
  type: z.literal('input_file'),
  file_data: dataUrl,
  filename: text.optional(),
  file_id: noFileId,
  file_url: z.null(ledPast('an address')).optional(),
});
const unknownPart =
  'must be a kind of content that goes through the platform: input_text, output_text, input_image, input_file or refusal';
const part = z.discriminatedUnion('type', [textPart, refusalPart, imagePart, filePart], unknownPart);
const content = z.union([text, z.array(part)]);
export type Part = z.infer<typeof part>;

const message = z.object({
  type: z.literal('message'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content,
  phase: text.max(40).nullish(),
});

const call = { call_id: text, name: text, namespace: text.optional() };
const output = { call_id: text, output: content };
const reasoning = z
  .object({
    type: z.literal('reasoning'),
    id: text.optional(),
    summary: z.array(z.object({ type: z.literal('summary_text'), text })).optional(),
    content: z.array(z.object({ type: z.literal('reasoning_text'), text })).nullish(),
    encrypted_content: text.nullish(),
  })
  /** With its content the id names what is here; without it, what the endpoint keeps. */
  .transform(({ id, ...given }) => (given.encrypted_content ? { ...given, id } : given));

const unknownTool =
  'must be "function", "custom" or "namespace": only tools that the agent runs itself go through the platform';
const functionTool = z.object({
  type: z.literal('function'),
  name: text,
  description: text.nullish(),
  parameters: jsonSchema.nullish(),
  strict: z.boolean().nullish(),
});
const customTool = z.object({
  type: z.literal('custom'),
  name: text,
  description: text.nullish(),
  format: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('grammar'), ...grammar }),
    ])
    .optional(),
});
const namespaceTool = z.object({
  type: z.literal('namespace'),
  name: text,
  description: text.nullish(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool], unknownTool)),
});
export const tools = z.array(
  z.discriminatedUnion('type', [functionTool, customTool, namespaceTool], unknownTool),
);

const named = z.object({ type: z.enum(['function', 'custom'], unknownTool), name: text });
export const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('function'), name: text }),
      z.object({ type: z.literal('custom'), name: text }),
      z.object({
        type: z.literal('allowed_tools'),
        mode: z.enum(['auto', 'required']),
        tools: z.array(named),
      }),
    ],
    unknownTool,
  ),
]);

const unknownItem =
  'must be a kind of item that goes through the platform: message, function_call, function_call_output, custom_tool_call, custom_tool_call_output, reasoning or additional_tools';
const typedItem = z.discriminatedUnion(
  'type',
  [
    message,
    z.object({ type: z.literal('function_call'), ...call, arguments: text }),
    z.object({ type: z.literal('function_call_output'), ...output }),
    z.object({ type: z.literal('custom_tool_call'), ...call, input: text }),
    z.object({ type: z.literal('custom_tool_call_output'), ...output }),
    reasoning,
    z.object({ type: z.literal('additional_tools'), role: z.literal('developer'), tools }),
  ],
  unknownItem,
);

/** A message may come without its type. */
const item = z.preprocess(
  (given) =>
    typeof given === 'object' && given !== null && 'role' in given && !('type' in given)
      ? { ...given, type: 'message' }
      : given,
  typedItem,
);
export const input = z.union([text, z.array(item)]);
export type Item = z.infer<typeof typedItem>;
