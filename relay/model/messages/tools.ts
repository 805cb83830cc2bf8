/** Which tools an agent may tell a model about: its own, which it runs itself. Pure. */
import * as z from 'zod';
import { jsonSchema } from '../request-body.ts';
import { anyObject, cacheControl } from './content.ts';

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
  input_examples: z.array(anyObject).optional(),
  cache_control: cacheControl,
});

export const toolChoice = z.object({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: z.string().optional(),
  disable_parallel_tool_use: z.boolean().optional(),
});
