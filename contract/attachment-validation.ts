/**
 * Save validation of an attachment, used again at launch against the frozen manifest.
 * The steps run in the order of docs/catalog.md#attachments; the first that finds problems ends validation
 * and reports all of them.
 */
import type { Manifest, ManifestEnvField } from './catalog.ts';
import type { FieldProblem } from './errors.ts';
import { referencedSecretName } from './names.ts';
import { type JudgePattern, type PatternTask, patternBoundProblem } from './patterns.ts';
import { codeVariable, isReservedVariable } from './reserved-variables.ts';
import { type KnownSecret, secretRefusal } from './secret-use.ts';

export interface AttachmentToValidate {
  /**
   * The entry's name. That it exists is the caller's check: without its manifest
   * there is nothing to validate.
   */
  name: string;
  manifest: Manifest;
  env: Readonly<Record<string, string>>;
  /** By name; a secret that is missing here does not exist. */
  secrets: ReadonlyMap<string, KnownSecret>;
  /** Holds the results of the tasks of `attachmentPatterns`. */
  judge: JudgePattern;
}

/**
 * Problems of the first failing step, each with a path such as `env.API_TOKEN`, by path; empty when
 * the attachment is valid.
 */
export function attachmentProblems(attachment: AttachmentToValidate): FieldProblem[] {
  for (const step of [referenceProblems, secretProblems, valueProblems]) {
    const problems = step(attachment);
    if (problems.length > 0) {
      return problems.sort((left, right) => (left.path < right.path ? -1 : 1));
    }
  }
  return [];
}

/** Names of the secrets that the env refers to in the manifest's secret fields. */
export function referencedSecrets(manifest: Manifest, env: Readonly<Record<string, string>>): string[] {
  const names = secretFields(manifest).map(([name]) => referencedSecretName(env[name] ?? ''));
  return [...new Set(names.filter((name) => name !== null))];
}

/** The tasks to run before `attachmentProblems`: the expression of each value field that is filled in. */
export function attachmentPatterns(manifest: Manifest, env: Readonly<Record<string, string>>): PatternTask[] {
  return Object.entries(manifest.env).flatMap(([name, { kind, regex }]) => {
    const text = env[name] ?? '';
    return kind === 'value' && text !== '' ? patternTask(regex, text) : [];
  });
}

/** The task for one field; none without an expression, or with one that is too large to run. */
export function patternTask(regex: string | undefined, text: string | null): PatternTask[] {
  return regex === undefined || patternBoundProblem(regex) !== null ? [] : [{ regex, text }];
}

/**
 * Step 2: secret fields hold a bare reference, or are empty where they are optional; no field
 * is undeclared or reserved.
 */
function referenceProblems({ manifest, env }: AttachmentToValidate): FieldProblem[] {
  const undeclared = Object.keys(env)
    .filter((name) => !Object.hasOwn(manifest.env, name))
    .map((name) => problem(name, 'unknown_field', 'is not declared by the manifest'));
  // Also at launch: for entries older than this rule.
  const reserved = Object.keys(manifest.env)
    .filter(isReservedVariable)
    .map((name) => problem(name, 'reserved_variable', codeVariable));
  const wrong = secretFields(manifest).flatMap(([name, field]) => {
    const text = env[name] ?? '';
    if (text === '') {
      return field.required === true ? [required(name)] : [];
    }
    const message = 'must be a whole reference such as ${SECRET_NAME}, without text around it';
    return referencedSecretName(text) === null ? [problem(name, 'not_a_reference', message)] : [];
  });
  return [...undeclared, ...reserved, ...wrong];
}

/** Step 3: every referenced secret exists, is set, and may be used by this entry. */
function secretProblems({ name: server, manifest, env, secrets }: AttachmentToValidate): FieldProblem[] {
  return secretFields(manifest).flatMap(([name]) => {
    const secretName = referencedSecretName(env[name] ?? '');
    if (secretName === null) {
      return [];
    }
    const refusal = secretRefusal(secretName, secrets.get(secretName), server);
    return refusal === null ? [] : [problem(name, refusal.code, refusal.message)];
  });
}

/** Step 4: value fields satisfy the manifest's constraints. */
function valueProblems({ manifest, env, judge }: AttachmentToValidate): FieldProblem[] {
  return Object.entries(manifest.env).flatMap(([name, field]) => {
    if (field.kind !== 'value') {
      return [];
    }
    const text = env[name] ?? '';
    if (text === '') {
      return field.required === true && field.default === undefined ? [required(name)] : [];
    }
    const reason = valueProblem(field, text, judge);
    return reason === null ? [] : [problem(name, reason.code, reason.message)];
  });
}

/** Why a value does not satisfy its field, or null. The regex must match the whole value. */
export function valueProblem(
  field: ManifestEnvField,
  text: string,
  judge: JudgePattern,
): { code: string; message: string } | null {
  if (text.includes('\0')) {
    return { code: 'invalid_text', message: 'must not contain a NUL character' };
  }
  if (field.enum !== undefined && !field.enum.includes(text)) {
    return { code: 'not_in_enum', message: `must be one of ${field.enum.join(', ')}` };
  }
  return field.regex === undefined ? null : mismatch(field.regex, text, judge);
}

/** Only a confirmed match counts as one. */
function mismatch(
  regex: string,
  text: string,
  judge: JudgePattern,
): { code: string; message: string } | null {
  const bound = patternBoundProblem(regex);
  if (bound !== null) {
    const message = `cannot be checked: the expression of the catalog entry ${bound}; an admin has to change the entry`;
    return { code: 'pattern_too_costly', message };
  }
  const { result } = judge({ regex, text });
  switch (result) {
    case 'matches':
      return null;
    case 'too_costly':
      return { code: 'pattern_too_costly', message: `takes too long to be checked against ${regex}` };
    case 'not_checked':
    case 'compiles':
      return { code: 'not_checked', message: `was not checked against ${regex}; try again` };
    case 'invalid':
    case 'differs':
      return { code: 'regex_mismatch', message: `must match ${regex}` };
  }
}

function secretFields(manifest: Manifest): [string, ManifestEnvField][] {
  return Object.entries(manifest.env).filter(([, field]) => field.kind === 'secret');
}

function problem(variable: string, code: string, message: string): FieldProblem {
  return { path: `env.${variable}`, code, message };
}

function required(variable: string): FieldProblem {
  return problem(variable, 'required', 'is required');
}
