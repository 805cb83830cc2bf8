import type { FormErrors } from '@mantine/form';
import type { GrantFormValues } from './new-grant-values.ts';

/** What each field of the form is given. */
export interface FieldProps {
  values: GrantFormValues;
  errors: FormErrors;
  change: (part: Partial<GrantFormValues>) => void;
}
