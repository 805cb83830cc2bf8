/** Which tools an agent may tell a model about: its own, which it runs itself. Pure. */
import * as z from 'zod';
import { cacheControl } from './message-content.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema of the agent's, as it is, but for references that whoever reads it might fetch. */
export const jsonSchema = z
  .custom<Record<string, unknown>>(isObject, 'must be a JSON schema')
  .refine((schema) => !namesOtherDocument(schema), 'must not refer to another document with $ref');

const references = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Its depth is bounded before. */
function namesOtherDocument(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.some(namesOtherDocument);
  }
  if (!isObject(value)) {
    return false;
  }
  const isElsewhere = (key: string) => {
    const reference = Object.hasOwn(value, key) ? value[key] : undefined;
    return typeof reference === 'string' && !reference.startsWith('#');
  };
  return references.some(isElsewhere) || Object.values(value).some(namesOtherDocument);
}

export const tool = z.object({
  type: z
    .literal(
      'custom',
      'must be "custom" or absent: only tools that the agent runs itself go through the platform',
    )
    .nullish(),
  name: z.string(),
  description: z.string().optional(),
  input_schema: jsonSchema,
  strict: z.boolean().nullish(),
  eager_input_streaming: z.boolean().nullish(),
  input_examples: z.array(z.custom<Record<string, unknown>>(isObject, 'must be an object')).optional(),
  cache_control: cacheControl,
});

export const toolChoice = z.object({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: z.string().optional(),
  disable_parallel_tool_use: z.boolean().optional(),
});
