/** The scripted agent's instructions: JSON `{ "steps": [...] }`. */
import * as z from 'zod';
import { inputMessage } from './agent-contract.ts';
import './plain-messages.ts';
import { isSavedReference, replaceSaved } from './saved-values.ts';
import { maxEventTextLength } from './session-event.ts';

const longestWaitSeconds = 7 * 24 * 3600;

const repetition = {
  every_seconds: z.number().positive().max(3600).default(10),
  timeout_seconds: z.number().positive().max(longestWaitSeconds).default(600),
};
/** Where a value is in the structured content of a result. */
const resultPath = z
  .string()
  .max(500)
  .regex(/^[^.]+(\.[^.]+)*$/, 'must be names and indexes separated by dots, such as agents.0.agent_id');

const variableName = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/);
const variableRule =
  'must be a variable: lower-case letters, digits and underscores, at most 32, beginning with a letter';

const callFields = z.strictObject({
  call: z.string().regex(/^[^.]+\..+$/, 'must be <server>.<tool>'),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** `ok`, `error` for any failure, or the code of the one that is expected. */
  expect: z.string().min(1).default('ok'),
  /** Makes the call again as long as it fails with this code, which must mean that nothing was done. */
  repeat_on: z.strictObject({ code: z.string().min(1), ...repetition }).optional(),
  /** Makes the call again until the value at the path of its result is this one. */
  repeat_until: z.strictObject({ path: resultPath, equals: z.unknown(), ...repetition }).optional(),
  /** Keeps values of the result, by variable, for the arguments of later calls. */
  save: z
    .record(variableName, resultPath, {
      // A record says of a name only that it is not allowed.
      error: ({ code }) => (code === 'invalid_key' ? variableRule : undefined),
    })
    .optional(),
});
const callStep = callFields.superRefine((given, context) => {
  const refuse = (field: keyof typeof given, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  for (const field of ['save', 'repeat_until'] as const) {
    if (given[field] !== undefined && given.expect !== 'ok') {
      refuse(field, 'is only possible where expect is ok');
    }
  }
  if (given.repeat_until !== undefined && given.repeat_on !== undefined) {
    refuse('repeat_until', 'is not possible together with repeat_on');
  }
  if (isSavedReference(given.arguments)) {
    refuse('arguments', 'must name each argument; a saved value can only be the value of one');
  }
});
const waitStep = z.strictObject({
  wait_for_message: z.strictObject({
    contains: z.string().optional(),
    kind: inputMessage.shape.kind.optional(),
    timeout_seconds: z.number().positive().max(longestWaitSeconds).default(60),
  }),
});
/** Publishes what the server says about its tools as a JSON artifact (`toolListing` of mcp-check.ts). */
const listStep = z.strictObject({ list_tools: z.string().min(1), artifact: z.string().min(1).max(255) });
const sleepStep = z.strictObject({ sleep_seconds: z.number().min(0).max(3600) });

/** A message that is written in pieces over that time. */
const writeStep = z.strictObject({
  write: z.string().min(1).max(maxEventTextLength),
  seconds: z.number().min(0).max(600).default(2),
});

export type CallStep = z.infer<typeof callStep>;
type WaitStep = z.infer<typeof waitStep>;
export type WantedMessage = Pick<WaitStep['wait_for_message'], 'contains' | 'kind'>;
export type WriteStep = z.infer<typeof writeStep>;
export type Step = CallStep | z.infer<typeof listStep> | WaitStep | z.infer<typeof sleepStep> | WriteStep;

const schemaByKey = {
  call: callStep,
  list_tools: listStep,
  wait_for_message: waitStep,
  sleep_seconds: sleepStep,
  write: writeStep,
} as const;

/** The step's kind is its one key of `schemaByKey`, so that errors concern that kind only. */
const step = z.record(z.string(), z.unknown()).transform((given, context): Step => {
  const keys = Object.keys(schemaByKey).filter((key) => Object.hasOwn(given, key));
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    const message = 'must have exactly one of call, list_tools, wait_for_message, sleep_seconds and write';
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

/** What is wrong, and where: a path such as `steps.0.call`, empty for all of it. */
export interface InstructionsProblem {
  path: string;
  message: string;
}

export class InstructionsError extends Error {
  override name = 'InstructionsError';
  readonly problems: readonly InstructionsProblem[];

  constructor(problems: readonly InstructionsProblem[]) {
    const said = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    const isRead = problems.some(({ path }) => path !== '');
    super(`${isRead ? 'the instructions are not usable: ' : ''}${said.join('; ')}`);
    this.problems = problems;
  }
}

/**
 * Throws InstructionsError with every problem and its path; those of saved values only where each
 * step by itself is right.
 */
export function parseInstructions(text: string): Step[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InstructionsError([{ path: '', message: 'the instructions are not JSON' }]);
  }
  const parsed = instructions.safeParse(value);
  const problems = parsed.success
    ? problemsOfReferences(parsed.data.steps)
    : parsed.error.issues.map(({ path, message }) => ({ path: path.join('.') || 'instructions', message }));
  if (!parsed.success || problems.length > 0) {
    throw new InstructionsError(problems);
  }
  return parsed.data.steps;
}

/** Each use of a variable that no earlier step saves. */
function problemsOfReferences(steps: readonly Step[]): InstructionsProblem[] {
  const problems: InstructionsProblem[] = [];
  const saved = new Set<string>();
  for (const [index, step] of steps.entries()) {
    if (!('call' in step)) {
      continue;
    }
    replaceSaved(step.arguments, (variable, path) => {
      if (!saved.has(variable)) {
        problems.push({
          path: ['steps', index, 'arguments', ...path].join('.'),
          message: `step ${index + 1} uses the variable "${variable}", which no earlier step saves`,
        });
      }
    });
    for (const variable of Object.keys(step.save ?? {})) {
      saved.add(variable);
    }
  }
  return problems;
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
  if ('write' in given) {
    return 'write a message';
  }
  const { contains, kind } = given.wait_for_message;
  const ofKind = kind === undefined ? '' : ` of kind ${kind}`;
  return `wait for a message${ofKind}${contains === undefined ? '' : ` with "${contains}"`}`;
}
