/** Scrolls to a form's problem and focuses it. */
import { type RefObject, useEffect } from 'react';

/** Fields that are marked as wrong, and messages of groups, which have no field of their own to mark. */
const problems = '[aria-invalid="true"], .mantine-InputWrapper-error, .mantine-InputError-error';
const fields = 'input:checked, input, textarea, select, button';

/**
 * Leads to the first problem of the form (or dialog) around `ref`: each time that another `error`
 * comes, and when the form was submitted and found something itself. Where no field is wrong it leads
 * to the alert below `ref`.
 */
export function useLeadToProblem(
  ref: RefObject<HTMLElement | null>,
  error: unknown,
  { takesFocus }: { takesFocus: boolean },
): void {
  useEffect(() => {
    if (error === null || error === undefined) {
      return;
    }
    // After the fields have drawn their messages.
    const drawn = requestAnimationFrame(() => leadToProblem(ref.current, { takesFocus }));
    return () => cancelAnimationFrame(drawn);
  }, [error, ref, takesFocus]);
  useEffect(() => {
    const form = ref.current?.closest('form');
    const lead = () => requestAnimationFrame(() => leadToField(form ?? null, { takesFocus }));
    form?.addEventListener('submit', lead);
    return () => form?.removeEventListener('submit', lead);
  }, [ref, takesFocus]);
}

/** Leads to the first field that is wrong in the form around `place`, else to the first alert below it. */
export function leadToProblem(place: HTMLElement | null, { takesFocus = true } = {}): void {
  const scope = place?.closest<HTMLElement>('form, [role="dialog"]') ?? place;
  if (!leadToField(scope, { takesFocus })) {
    const alert = place?.querySelector<HTMLElement>('[role="alert"]');
    show(alert, alert, { takesFocus });
  }
}

function leadToField(scope: HTMLElement | null, options: { takesFocus: boolean }): boolean {
  const problem = scope?.querySelector<HTMLElement>(problems);
  if (problem === null || problem === undefined) {
    return false;
  }
  const isField = problem.matches('input, textarea, select, button');
  const wrapper = problem.closest('.mantine-InputWrapper-root') ?? problem.parentElement;
  show(problem, isField ? problem : (wrapper?.querySelector<HTMLElement>(fields) ?? null), options);
  return true;
}

function show(
  what: HTMLElement | null | undefined,
  focused: HTMLElement | null | undefined,
  { takesFocus }: { takesFocus: boolean },
): void {
  if (takesFocus) {
    focused?.focus({ preventScroll: true });
  }
  // Not at the edge, where the header would cover its label.
  what?.scrollIntoView({ block: 'center' });
}
