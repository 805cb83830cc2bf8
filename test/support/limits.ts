/**
 * Limits as a test wants them, by name and as text: those that a variable sets, and in process
 * also those that none does.
 */
import * as z from 'zod';
import { type FixedLimits, withFixedLimits } from '../../config/fixed-limits.ts';
import { limitFields } from '../../config/limits.ts';

const settable = z.object(limitFields);
type Limits = z.infer<typeof settable> & FixedLimits;

const isFixed = (name: string) => name in defaultLimits && !(name in limitFields);

/** Those of a process that was given no setting. */
export const defaultLimits: Limits = withFixedLimits(settable.parse({}));

/** Of what a test names, the limits that no variable sets. */
export const fixedLimitsIn = (given: Readonly<Record<string, string>>): Partial<FixedLimits> =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => isFixed(name))
      .map(([name, value]) => [name, Number(value)]),
  );

/** All limits, with those that a test names. */
export const limitsWith = (given: Readonly<Record<string, string>>): Limits => ({
  ...withFixedLimits(settable.parse(given)),
  ...fixedLimitsIn(given),
});
