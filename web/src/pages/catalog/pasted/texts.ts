/**
 * What of a pasted text holds only where it was written: references that a client fills in, paths of a
 * machine, and placeholders. Pure.
 */

export interface Reference {
  /** Of a variable, or of an input of an editor. */
  name: string;
  /** What it stands for when nothing else is set; null without a default. */
  fallback: string | null;
}

/**
 * `${VAR}`, with `:-default` as well, `${env:VAR}` and `${input:name}` of editors, `{env:VAR}` of OpenCode.
 */
const reference = /(?:\$\{(?:(?:env|input):)?|\{env:)([A-Za-z0-9_.-]+?)(?::?-([^{}]*))?\}/;
const references = new RegExp(reference, 'g');
const wholeReference = new RegExp(`^(?:${reference.source})$`);
/** `$VAR` of a shell, and `%VAR%` of Windows. */
const bareReference = /^(?:\$([A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_]*)%)$/;

/** `--option=$VAR`. */
const assignedReference = /(?<==)(?:\$[A-Za-z_][A-Za-z0-9_]*|%[A-Za-z_][A-Za-z0-9_]*%)$/;

/** The reference that a text is as a whole; null for any other text. */
export function referenceIn(text: string): Reference | null {
  const [, name, fallback] = wholeReference.exec(text) ?? [];
  const [, ofShell, ofWindows] = bareReference.exec(text) ?? [];
  const found = name ?? ofShell ?? ofWindows;
  return found === undefined ? null : { name: found, fallback: fallback ?? null };
}

/** The first reference within a text, as it is written there; null without one. */
export const someReference = (text: string): { written: string; name: string } | null => {
  const [written, name] =
    reference.exec(text) ?? bareReference.exec(text) ?? assignedReference.exec(text) ?? [];
  return written === undefined ? null : { written, name: name ?? written.replaceAll(/[$%]/g, '') };
};

/** The text with the defaults of its references put in, and a note for each. */
export function withFallbacks(text: string, notes: string[]): string {
  return text.replaceAll(references, (written, name: string, fallback: string | undefined) => {
    if (fallback === undefined || fallback === '') {
      return written;
    }
    notes.push(`\${${name}} is taken to be its default, ${fallback}`);
    return fallback;
  });
}

/** `https://server.example/s/TOKEN/mcp`: a segment of an address that stands for another. */
const inAddress =
  /^https?:\/\/[^?#]*\/(?:x{4,}|X{4,}|\.{3}|…|\[[A-Za-z][\w -]*\]|:[a-z]\w*|(?:[A-Z]+[-_])?(?:TOKEN|KEY|SECRET))(?=[/?#]|$)/;

/** `{API_KEY}`; what is written small in braces may be meant so. */
const capitalsInBraces = /^\{[A-Z][A-Z0-9_]*\}$/;
const placeholder =
  /<<?\$?[A-Za-z][^<>]*>>?|\byour[-_. ](?!self\b)|\bYOUR\b|^(?:x{3,}|\*{3,}|\.{3}|…|changeme|replace[-_ ]?me|placeholder)$|\b(?:paste|insert|enter|replace)_[a-z_]*_?here\b/i;

/**
 * Whether somebody was to write something else in its place: `<token>`, `YOUR_API_KEY`,
 * `https://your-domain.example`.
 */
export const isPlaceholder = (text: string): boolean =>
  [placeholder, capitalsInBraces, inAddress].some((form) => form.test(text));

const pathOfMachine =
  /^(?:\/(?:Users|home|root|Volumes|mnt|media|private|path|absolute|full|your|opt\/homebrew)(?:\/|$)|~(?:[\\/]|$)|\.{1,2}[\\/]|[A-Za-z]:[\\/]|\\\\|file:\/\/)/i;
const folderOfMachine =
  /\$\{?(?:env:)?(?:HOME|PWD|USERPROFILE|APPDATA|LOCALAPPDATA)\b|%(?:USERPROFILE|APPDATA|LOCALAPPDATA|HOMEPATH|PROGRAMFILES)%|\$\{(?:workspaceFolder|workspaceRoot|userHome|pathSeparator|fileDirname|cwd|extensionPath|__dirname|CLAUDE_PLUGIN_ROOT)[^}]*\}|\bpath\/to\//i;

/** Whether it is a file or folder of the machine that the text was written for, which no session has. */
export const isPathOfMachine = (text: string): boolean =>
  pathOfMachine.test(text) || folderOfMachine.test(text);

const addressOfMachine =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*@)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|host\.docker\.internal)(?:[:/?#]|$)/i;

/** Whether it is an address that each machine has for itself, so that it names another one here. */
export const isAddressOfMachine = (text: string): boolean => addressOfMachine.test(text);

/** What Windows sets for each program, which a text for it repeats, and no server has here. */
export const isOfWindows = (name: string): boolean =>
  /^(systemroot|systemdrive|windir|comspec|pathext|program(files(\(x86\))?|data)|(local)?appdata|userprofile|homedrive|homepath)$/i.test(
    name,
  );

/** The text without its references: what it holds itself. */
export const withoutReferences = (text: string): string =>
  bareReference.test(text) ? '' : text.replaceAll(references, '');
