import type { FormErrors } from '@mantine/form';
import type { Values } from './new-grant-values.ts';

/** What each field of the form is given. */
export interface FieldProps {
  values: Values;
  errors: FormErrors;
  change: (part: Partial<Values>) => void;
}
