/** An environment as rows of a form: each variable a plain value, or the name of a secret. */
import { referencedSecretName } from '../../../../contract/names.ts';

export interface EnvRow {
  name: string;
  kind: 'value' | 'secret';
  /** The value, or the secret's name. */
  text: string;
}

export function rowsOf(env: Readonly<Record<string, string>>): EnvRow[] {
  return Object.entries(env).map(([name, text]) => {
    const secret = referencedSecretName(text);
    return secret === null ? { name, kind: 'value', text } : { name, kind: 'secret', text: secret };
  });
}

export function envOf(rows: readonly EnvRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.map(({ name, kind, text }) => [name.trim(), kind === 'secret' ? `\${${text}}` : text]),
  );
}

/**
 * Problems of the rows as an environment: no name, a duplicate name, no secret chosen. By `<row>.<field>`.
 */
export function rowProblems(rows: readonly EnvRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap(({ name, kind, text }, at): [string, string][] => [
      ...(name.trim() === '' ? [[`${at}.name`, 'is required'] as [string, string]] : []),
      ...(rows.findIndex((row) => row.name.trim() === name.trim()) < at
        ? [[`${at}.name`, 'is a duplicate'] as [string, string]]
        : []),
      ...(kind === 'secret' && text === '' ? [[`${at}.text`, 'choose a secret'] as [string, string]] : []),
    ]),
  );
}

/** The row that shows a problem of a variable: `2.text`, or null when there is no such row. */
export function rowOf(rows: readonly EnvRow[], variable: string): string | null {
  const at = rows.findIndex(({ name }) => name.trim() === variable);
  return at < 0 ? null : `${at}.text`;
}

/** What says which of its own tools the agent `acp` may use: none without it. */
const ownTools = 'ACP_TOOLS';

export const hasOwnTools = (rows: readonly EnvRow[]): boolean =>
  rows.some(({ name, text }) => name.trim() === ownTools && text !== '');

/** With all of them or none; the other variables stay. */
export function withOwnTools(rows: readonly EnvRow[], areAllowed: boolean): EnvRow[] {
  const others = rows.filter(({ name }) => name.trim() !== ownTools);
  return areAllowed ? [...others, { name: ownTools, kind: 'value', text: 'all' }] : others;
}
