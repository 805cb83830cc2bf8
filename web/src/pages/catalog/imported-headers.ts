/**
 * Headers of a remote server that is imported, as an entry sends them: each a fixed prefix and one variable,
 * whose value is set as a secret afterwards. Pure.
 */
import { type RemoteHeader, remoteHeader } from '../../../../contract/remote-server.ts';
import { nameLooksSecret, valueLooksSecret } from '../../text/secret-looks.ts';
import { headerPrefixProblem } from './header-prefix.ts';
import { isPlaceholder } from './pasted/texts.ts';

/** One header of the text. */
export interface GivenHeader {
  name: string;
  /** Its fixed text around at most one variable; null for one whose whole value is to be set. */
  template: { prefix: string; variable: string | null; suffix: string; fallback?: string } | null;
}

/** `literal`: the value that its variable has by default. `note`: why it is left out. */
export type ImportedHeader =
  | { header: RemoteHeader; literal: string | null }
  | { problem: string }
  | { note: string };

/**
 * The header of an entry, or why there is none. A literal becomes a variable with a default,
 * unless it may be a credential.
 */
export function importedHeader({ name, template }: GivenHeader): ImportedHeader {
  const named = remoteHeader.shape.name.safeParse(name);
  if (!named.success) {
    return {
      note: `the header ${name} is left out: it ${named.error.issues[0]?.message ?? 'cannot be sent'}`,
    };
  }
  const { prefix, variable, suffix, fallback } = template ?? { prefix: '', variable: name, suffix: '' };
  if (variable === null) {
    return importedLiteral(name, prefix);
  }
  if (fallback !== undefined && (valueLooksSecret(fallback) || nameLooksSecret(name))) {
    return importedLiteral(name, fallback);
  }
  const parsed = remoteHeader.safeParse({ name, prefix, variable: variableName(variable) });
  return suffix === '' && headerPrefixProblem(prefix) === null && parsed.success
    ? { header: parsed.data, literal: fallback ?? null }
    : { problem: `its header ${name} has to be a prefix and one variable, such as "Bearer \${API_TOKEN}"` };
}

/**
 * What is registered of it; null where it only leaves a note or a problem, which are
 * added to those of the server.
 */
export function keptHeader(
  imported: ImportedHeader,
  { notes, problems }: { notes: string[]; problems: string[] },
): { header: RemoteHeader; literal: string | null } | null {
  if ('header' in imported) {
    return imported;
  }
  if ('note' in imported) {
    notes.push(imported.note);
  } else {
    problems.push(imported.problem);
  }
  return null;
}

/** A scheme, and what somebody was to write in the place of a credential. */
const schemeAndRest = /^((?:Bearer|Token|Basic|ApiKey) +)?(.*)$/is;

function importedLiteral(name: string, text: string): ImportedHeader {
  const [, prefix = '', rest = ''] = schemeAndRest.exec(text) ?? [];
  if (isPlaceholder(rest)) {
    return { header: { name, prefix, variable: variableName(name) }, literal: null };
  }
  if (nameLooksSecret(name) || valueLooksSecret(text) || headerPrefixProblem(text) !== null) {
    return {
      problem: `its header ${name} looks like a secret, which would be stored as plain text: write a variable in its place, such as "Bearer \${API_TOKEN}", and set that as a secret afterwards`,
    };
  }
  return { header: { name, prefix: '', variable: variableName(name) }, literal: text };
}

/** `X-Api-Key` becomes `X_API_KEY`; what can be a variable stays. */
function variableName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  const upper = /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : name.toUpperCase();
  return /^\d/.test(upper) ? `_${upper}` : upper;
}

/**
 * `${VAR}` as desktop clients have it, with `:-default` as well, `${env:VAR}` and `${input:name}`
 * of editors, `{env:VAR}` of OpenCode, and `{name}`.
 */
const placeholder =
  /\$\{(?:(?:env|input):)?([A-Za-z0-9_-]+?)(?::-([^{}]*))?\}|\{(?:env:)?([A-Za-z0-9_-]+)\}/g;

/**
 * The text of a header in its parts. More than one variable makes the rest the suffix, which no header has.
 */
export function templateOf(text: string): NonNullable<GivenHeader['template']> {
  const [first] = text.matchAll(placeholder);
  if (first === undefined) {
    return { prefix: text, variable: null, suffix: '' };
  }
  return {
    prefix: text.slice(0, first.index),
    variable: first[1] ?? first[3] ?? null,
    suffix: text.slice(first.index + first[0].length),
    ...(first[2] === undefined ? {} : { fallback: first[2] }),
  };
}
