/**
 * Manifest rules beyond its schema: size limits, no variable that changes which code runs, every regex
 * compiles within bounds, and every default is a valid value.
 */
import { patternTask, valueProblem } from './attachment-validation.ts';
import type { Manifest, ManifestEnvField } from './catalog.ts';
import type { FieldProblem } from './errors.ts';
import {
  type JudgePattern,
  type PatternTask,
  patternBoundProblem,
  patternLimits,
  patternSize,
} from './patterns.ts';
import { isReservedVariable } from './reserved-variables.ts';

/** The tasks to run before `manifestProblems`. Empty when the manifest is too large to run any of them. */
export function manifestPatterns(manifest: Manifest): PatternTask[] {
  const fields = Object.values(manifest.env);
  return sizeProblems(manifest).length > 0
    ? []
    : fields.flatMap(({ regex, default: fallback }) => [
        ...patternTask(regex, null),
        ...(fallback === undefined ? [] : patternTask(regex, fallback)),
      ]);
}

/**
 * Problems with paths such as `manifest.env.REGION.regex`; empty when the manifest is valid. `judge` holds
 * the results of its patterns.
 */
export function manifestProblems(manifest: Manifest, judge: JudgePattern): FieldProblem[] {
  const tooLarge = sizeProblems(manifest);
  return tooLarge.length > 0
    ? tooLarge
    : Object.entries(manifest.env).flatMap(([name, field]) => fieldProblems(name, field, judge));
}

function fieldProblems(name: string, field: ManifestEnvField, judge: JudgePattern): FieldProblem[] {
  const path = `manifest.env.${name}`;
  if (isReservedVariable(name)) {
    const message = `${name} decides which code a program loads; a manifest may not set it`;
    return [{ path, code: 'reserved_variable', message }];
  }
  const wrongRegex = field.regex === undefined ? null : regexProblem(field.regex, judge);
  if (wrongRegex !== null) {
    return [{ path: `${path}.regex`, ...wrongRegex }];
  }
  const wrong = field.default === undefined ? null : valueProblem(field, field.default, judge);
  return wrong === null ? [] : [{ path: `${path}.default`, ...wrong }];
}

/** Limits the cost of checking values against one manifest. */
function sizeProblems({ env, tool_scopes }: Manifest): FieldProblem[] {
  const tooMany = (path: string, count: number, limit: number, what: string) =>
    count > limit ? [{ path, code: 'too_many', message: `has ${count} ${what}; the limit is ${limit}` }] : [];
  if (Object.keys(env).length > patternLimits.variables) {
    return tooMany('manifest.env', Object.keys(env).length, patternLimits.variables, 'variables');
  }
  // One that is too large by itself is named by its own field.
  const expressions = Object.values(env).flatMap(({ regex }) =>
    regex === undefined || patternBoundProblem(regex) !== null ? [] : [regex],
  );
  const size = expressions.reduce((sum, regex) => sum + patternSize(regex), 0);
  const limit = patternLimits.totalInstructions;
  return [
    ...tooMany('manifest.tool_scopes', Object.keys(tool_scopes).length, patternLimits.toolScopes, 'tools'),
    ...tooMany('manifest.env', size, limit, 'steps in its expressions together, counting what they repeat'),
  ];
}

/** Only what a linear-time engine can run is accepted: no look-around, no back-references. */
function regexProblem(regex: string, judge: JudgePattern): { code: string; message: string } | null {
  const bound = patternBoundProblem(regex);
  if (bound !== null) {
    return { code: 'pattern_too_costly', message: bound };
  }
  const verdict = judge({ regex, text: null });
  switch (verdict.result) {
    case 'invalid': {
      const message = `is not a regular expression of the RE2 syntax: ${verdict.reason}`;
      return { code: 'invalid_regex', message };
    }
    case 'too_costly':
      return { code: 'pattern_too_costly', message: 'takes too long to be compiled' };
    case 'not_checked':
      return { code: 'not_checked', message: 'was not checked; try again' };
    default:
      return null;
  }
}
