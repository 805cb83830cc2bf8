/**
 * What a manifest must keep beyond its shape: no variable changes which code runs, every regex compiles, and every default is a
 * value that would be accepted.
 */
import { RE2JS } from 're2js';
import { valueProblem } from './attachment-validation.ts';
import type { Manifest } from './catalog.ts';
import type { FieldProblem } from './errors.ts';
import { isReservedVariable } from './reserved-variables.ts';

/** Problems with paths such as `manifest.env.REGION.regex`; empty when the manifest is sound. */
export function manifestProblems(manifest: Manifest): FieldProblem[] {
  return Object.entries(manifest.env).flatMap(([name, field]) => {
    const path = `manifest.env.${name}`;
    if (isReservedVariable(name)) {
      const message = `${name} decides which code a program loads; a manifest may not set it`;
      return [{ path, code: 'reserved_variable', message }];
    }
    if (field.regex !== undefined) {
      const message = regexProblem(field.regex);
      if (message !== null) {
        return [{ path: `${path}.regex`, code: 'invalid_regex', message }];
      }
    }
    const wrong = field.default === undefined ? null : valueProblem(field, field.default);
    return wrong === null ? [] : [{ path: `${path}.default`, ...wrong }];
  });
}

/** Only what a linear-time engine can run is accepted: no look-around, no back-references. */
function regexProblem(regex: string): string | null {
  try {
    RE2JS.compile(regex);
    return null;
  } catch (error) {
    const reason = typeof error === 'object' && error !== null && 'message' in error ? error.message : '';
    return `is not a regular expression of the RE2 syntax: ${reason}`;
  }
}
