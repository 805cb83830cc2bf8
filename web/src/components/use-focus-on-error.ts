import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/**
 * Leads to the first field of a form that has an error, once `focusFirstError` was called and the errors are drawn. `formRef`
 * belongs on the form.
 */
export function useFocusOnError(): {
  formRef: RefObject<HTMLFormElement | null>;
  focusFirstError: () => void;
} {
  const formRef = useRef<HTMLFormElement>(null);
  const [failures, setFailures] = useState(0);
  useEffect(() => {
    const field =
      failures === 0 ? null : formRef.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.focus({ preventScroll: true });
    // Not at the edge, where the header would cover its label.
    field?.scrollIntoView({ block: 'center' });
  }, [failures]);
  return { formRef, focusFirstError: useCallback(() => setFailures((count) => count + 1), []) };
}
