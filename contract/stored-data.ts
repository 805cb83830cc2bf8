/**
 * Rules of what agents store in the graph and in collections of their workspace: names, JSON values by
 * name, and conditions on them.
 */
import * as z from 'zod';

export const storedDataLimits = {
  propertyNameLength: 64,
  conditions: 20,
  conditionLength: 1000,
} as const;

export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();
export const storable = 'must be valid Unicode without a NUL character';

/** These rules are not in the JSON Schema: not every reader of one knows such patterns. */
export const name = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => isStorable(text) && !/\p{Cc}/u.test(text), 'must be Unicode without control characters')
    .refine((text) => text.trim() === text, 'must not begin or end with a space');

const wholeNumberRule = 'would lose digits: send whole numbers beyond 9007199254740991 as text';
const numberRule = 'is too large for a number: send it as text';

/** The rule that a number breaks; null for one that is stored as it was written. */
function brokenNumberRule(value: number): string | null {
  if (!Number.isFinite(value)) {
    return numberRule;
  }
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? wholeNumberRule : null;
}

/**
 * Where in a JSON value is something that cannot be stored as it is, with the rule that it breaks;
 * null for a usable value.
 */
function unusableValue(
  value: unknown,
  path: readonly PropertyKey[] = [],
): { path: readonly PropertyKey[]; rule: string } | null {
  if (typeof value === 'string') {
    return isStorable(value) ? null : { path, rule: storable };
  }
  if (typeof value === 'number') {
    const rule = brokenNumberRule(value);
    return rule === null ? null : { path, rule };
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  for (const [key, inner] of Object.entries(value)) {
    const found = isStorable(key) ? unusableValue(inner, [...path, key]) : { path, rule: storable };
    if (found !== null) {
      return found;
    }
  }
  return null;
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

const propertyName = z.string().min(1).max(storedDataLimits.propertyNameLength).refine(isStorable, storable);

/** Any JSON values by name, which come back as they were written. */
export const properties = (maxBytes: number) =>
  z.record(propertyName, z.unknown()).superRefine((values, context) => {
    const unusable = unusableValue(values);
    if (unusable !== null) {
      context.addIssue({ code: 'custom', path: [...unusable.path], message: unusable.rule });
    } else if (bytesOf(JSON.stringify(values)) > maxBytes) {
      context.addIssue({ code: 'custom', message: `must have ${maxBytes} bytes as JSON at most` });
    }
  });
/** What a property is compared with. */
const propertyCondition = z
  .union(
    [
      z.string().max(storedDataLimits.conditionLength).refine(isStorable, storable),
      z.number(),
      z.boolean(),
      z.null(),
    ],
    `must be a text of up to ${storedDataLimits.conditionLength} characters, a number, true, false or null`,
  )
  .superRefine((value, context) => {
    const rule = typeof value === 'number' ? brokenNumberRule(value) : null;
    if (rule !== null) {
      context.addIssue({ code: 'custom', message: rule });
    }
  });

/** For those who write conditions. */
export const comparedValues = 'a text, a number, true, false or null; no list and no object';

/** Top-level properties, each with exactly its value. */
export const conditions = z
  .record(propertyName, propertyCondition)
  .refine(
    (given) => Object.keys(given).length <= storedDataLimits.conditions,
    `must have ${storedDataLimits.conditions} conditions at most`,
  );
export type Conditions = Readonly<z.infer<typeof conditions>>;
