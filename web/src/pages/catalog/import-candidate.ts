/** One way to run a server that is imported, whatever it was written in. */
import type { Manifest, McpServerInput } from '../../api/types.ts';
import { nameLooksSecret, valueLooksSecret } from '../../text/secret-looks.ts';
import type { PlannedVariable } from './planned-variable.ts';

export interface ImportCandidate {
  /** What it is called among several ways; null for the only one. */
  label: string | null;
  shape: McpServerInput['shape'];
  variables: PlannedVariable[];
  /** Scopes of its tools, where the text names them. */
  toolScopes?: Manifest['tool_scopes'];
  /** Whether the text says that it needs no network. */
  hasNoNetwork?: boolean;
  /** What is imported differently from the text, or left out. */
  notes: string[];
  /** What prevents its registration. */
  problems: string[];
}

/** Arguments are shown to every member, so none that looks like a credential is imported. */
export function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, at) => {
    const [option = '', value] = argument.split(/=(.*)/s);
    const named = argument.startsWith('-') && nameLooksSecret(option);
    const afterName = (args[at - 1] ?? '').startsWith('-') && nameLooksSecret(args[at - 1] ?? '');
    const suspect =
      (named && value !== undefined && value !== '') ||
      (afterName && !/^(-[a-zA-Z]$|--)/.test(argument)) ||
      valueLooksSecret(value ?? argument);
    return suspect
      ? [
          `argument ${at + 1} looks like a secret, which would be stored as plain text: use a variable in env instead`,
        ]
      : [];
  });
}

/** Addresses are shown to every member, too. */
export const secretInUrl = (url: string): string[] =>
  url.includes('?') || valueLooksSecret(url) || url.split('/').some(valueLooksSecret)
    ? ['its url may contain a secret, which would be stored as plain text: remove that part']
    : [];
