/** What the MCP registry says of a value that a person gives: of a variable, an argument or a header. */
import * as z from 'zod';

export const plainInput = z.object({
  description: z.string().optional(),
  isRequired: z.boolean().default(false),
  isSecret: z.boolean().default(false),
  default: z.string().optional(),
  /** Fixed by the server's author; `{name}` stands for one of `variables`. */
  value: z.string().optional(),
  choices: z.array(z.string()).optional(),
});
export type PlainInput = z.infer<typeof plainInput>;
export const template = plainInput.extend({ variables: z.record(z.string(), plainInput).default({}) });
export type Template = z.infer<typeof template>;
export const named = template.extend({ name: z.string() });
export type NamedInput = z.infer<typeof named>;
