/** One way to run a server that is imported, whatever it was written in. */
import type { Manifest, McpServerInput } from '../../api/types.ts';
import { nameLooksSecret, valueLooksSecret } from '../../text/secret-looks.ts';
import {
  isAddressOfMachine,
  isPathOfMachine,
  isPlaceholder,
  someReference,
  withoutReferences,
} from './pasted/texts.ts';
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

/**
 * Arguments are shown to every member, so none that looks like a credential is imported; and none that holds
 * only where it was written.
 */
export const argumentProblems = (args: readonly string[]): string[] =>
  args.flatMap((argument, at) => {
    const why = argumentProblem(argument, args[at - 1] ?? '');
    return why === null ? [] : [`argument ${at + 1} ${why}`];
  });

/** Arguments that mean another machine here than where they were written, each with its note. */
export const argumentNotes = (args: readonly string[]): string[] =>
  args.flatMap((argument, at) =>
    argument.split(/[\s"'=,;]+/).some(isAddressOfMachine)
      ? [
          `argument ${at + 1} has an address that each machine has for itself (${argument}): here it is the session’s own`,
        ]
      : [],
  );

function argumentProblem(argument: string, before: string): string | null {
  if (mayBeSecret(argument, before)) {
    return 'looks like a secret, which would be stored as plain text: use a variable in env instead';
  }
  if (argument.split(/[\s"'=,;]+/).some(isPathOfMachine)) {
    return `names a file or folder of the machine that the text was written for (${argument}): write a path below /workspace, which is empty at the start of a session, or leave it out`;
  }
  const reference = someReference(argument);
  if (reference !== null) {
    return `has the reference ${reference.written}, which no client fills in here: write its value in its place`;
  }
  return isPlaceholder(argument) ? `is a placeholder (${argument}): write your own value in its place` : null;
}

function mayBeSecret(argument: string, before: string): boolean {
  const words = argument.split(/[\s;|&"']+/).filter((word) => word !== '');
  if (words[0] !== argument && words.some((word, at) => mayBeSecret(word, words[at - 1] ?? before))) {
    return true;
  }
  const [, name = '', value = ''] = /^([\w.-]+)[=:](?!\/\/)(.*)$/s.exec(argument) ?? [];
  const inQuery = [...argument.matchAll(/[?&]([\w.-]+)=[^&]/g)].some(([, key = '']) => nameLooksSecret(key));
  const afterName = before.startsWith('-') && !/[=:]/.test(before) && nameLooksSecret(before);
  const reference = someReference(argument);
  return (
    (value !== '' && nameLooksSecret(name)) ||
    inQuery ||
    (afterName && !/^(-[a-zA-Z]$|--)/.test(argument)) ||
    (reference !== null && nameLooksSecret(reference.name)) ||
    valueLooksSecret(withoutReferences(argument)) ||
    valueLooksSecret(withoutReferences(value))
  );
}

/** `features=docs,database`, `read_only=true`: words that choose what a server offers, and no credential. */
const plainSetting = /^([a-zA-Z][\w.-]*)=([a-z]{1,16}(?:[,_-][a-z]{1,16}){0,11}|\d{1,6})$/;

const isPlainSetting = (part: string): boolean => {
  const [, name = '', value = ''] = plainSetting.exec(part) ?? [];
  return value !== '' && !nameLooksSecret(name) && !valueLooksSecret(value);
};

/** Addresses are shown to every member, too. */
export function urlProblems(url: string): string[] {
  if (url.includes('#')) {
    return ['its url has a fragment (#), which no server would ever see: remove it'];
  }
  const [, ...queries] = url.split('?');
  const mayHoldSecret =
    queries.some((query) => !query.split('&').every(isPlainSetting)) ||
    valueLooksSecret(url) ||
    url.split(/[/?]/).some(valueLooksSecret);
  return mayHoldSecret
    ? ['its url may contain a secret, which would be stored as plain text: remove that part']
    : [];
}
