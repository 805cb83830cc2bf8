import { ApiFailure } from './failure.ts';

/**
 * The API's field messages as errors of a form: `form.setErrors(fieldErrors(error))`. `rename` says which
 * of the form's fields shows a path of the API; without it a field has the path as its name. A field
 * shows its first problem.
 */
export function fieldErrors(
  error: unknown,
  rename: (path: string) => string = (path) => path,
): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of error instanceof ApiFailure ? error.fields : []) {
    errors[rename(path)] ??= message;
  }
  return errors;
}
