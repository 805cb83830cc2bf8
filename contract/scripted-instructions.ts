/** The scripted agent's instructions: JSON `{ "steps": [...] }`. */
import * as z from 'zod';

const longestWaitSeconds = 7 * 24 * 3600;

const callStep = z.strictObject({
  call: z.string().regex(/^[^.]+\..+$/, 'must be <server>.<tool>'),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** `ok`, `error` for any failure, or the code of the one that is expected. */
  expect: z.string().min(1).default('ok'),
  /** Makes the call again as long as it fails with this code, which must mean that nothing was done. */
  repeat_on: z
    .strictObject({
      code: z.string().min(1),
      every_seconds: z.number().positive().max(3600).default(10),
      timeout_seconds: z.number().positive().max(longestWaitSeconds).default(600),
    })
    .optional(),
});
const waitStep = z.strictObject({
  wait_for_message: z.strictObject({
    contains: z.string().optional(),
    timeout_seconds: z.number().positive().max(longestWaitSeconds).default(60),
  }),
});
/** Publishes what the server says about its tools as a JSON artifact (`toolListing` of mcp-check.ts). */
const listStep = z.strictObject({ list_tools: z.string().min(1), artifact: z.string().min(1).max(255) });
const sleepStep = z.strictObject({ sleep_seconds: z.number().min(0).max(3600) });

export type CallStep = z.infer<typeof callStep>;
export type Step = CallStep | z.infer<typeof listStep> | z.infer<typeof waitStep> | z.infer<typeof sleepStep>;

const schemaByKey = {
  call: callStep,
  list_tools: listStep,
  wait_for_message: waitStep,
  sleep_seconds: sleepStep,
} as const;

/** The step's kind is its one key of `schemaByKey`, so that errors concern that kind only. */
const step = z.record(z.string(), z.unknown()).transform((given, context): Step => {
  const keys = Object.keys(schemaByKey).filter((key) => Object.hasOwn(given, key));
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    const message = 'must have exactly one of call, list_tools, wait_for_message and sleep_seconds';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
  const parsed = schemaByKey[key as keyof typeof schemaByKey].safeParse(given);
  for (const issue of parsed.error?.issues ?? []) {
    context.addIssue({ code: 'custom', path: issue.path, message: issue.message });
  }
  return parsed.success ? parsed.data : z.NEVER;
});

const instructions = z.strictObject({ steps: z.array(step).max(1000) });

export class InstructionsError extends Error {
  override name = 'InstructionsError';
}

/** Throws InstructionsError with every problem and its path. */
export function parseInstructions(text: string): Step[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InstructionsError('the instructions are not JSON');
  }
  const parsed = instructions.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join('.') || 'instructions'}: ${issue.message}`,
    );
    throw new InstructionsError(`the instructions are not usable: ${problems.join('; ')}`);
  }
  return parsed.data.steps;
}

/** The step in a few words, for people. */
export function describeStep(given: Step): string {
  if ('call' in given) {
    return `call ${given.call}`;
  }
  if ('list_tools' in given) {
    return `list the tools of ${given.list_tools}`;
  }
  if ('sleep_seconds' in given) {
    return `sleep ${given.sleep_seconds} s`;
  }
  const { contains } = given.wait_for_message;
  return contains === undefined ? 'wait for a message' : `wait for a message with "${contains}"`;
}
