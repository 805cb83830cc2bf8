/**
 * Paths of a preview's files: relative, with one notation for each file, and nothing in them that leads
 * elsewhere in an address or on any system that somebody keeps them on. Pure.
 */

export const maxPreviewPathLength = 255;

/** Names that Windows gives to devices, whatever follows a dot. */
const deviceName =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;

/** What the whole path must not be, each rule as the end of a sentence about it. */
const pathRules: readonly [(path: string) => boolean, string][] = [
  [(path) => path === '', 'must not be empty'],
  [(path) => path.length > maxPreviewPathLength, `must have ${maxPreviewPathLength} characters at most`],
  [(path) => !path.isWellFormed(), 'must be valid Unicode'],
  [(path) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path), 'must not have control or invisible characters'],
  [(path) => path.includes('\\'), 'must not have a backslash: folders are separated by "/"'],
  [(path) => /^[a-z]:/i.test(path), 'must not begin with a drive letter'],
  [(path) => path.startsWith('/'), 'must be relative: it must not begin with "/"'],
  [(path) => /[%?#:*"<>|]/.test(path), 'must not have any of % ? # : * " < > |'],
];

/** Likewise of each part between slashes. */
const partRules: readonly [(part: string) => boolean, string][] = [
  [(part) => part === '', 'must not have an empty part, nor end with "/"'],
  [(part) => part === '.' || part === '..', 'must not have "." or ".." as a part'],
  [(part) => part.startsWith('.'), 'must not have a part that begins with a dot'],
  [
    (part) => /^ | $|\.$/.test(part),
    'must not have a part that begins or ends with a space, or ends with a dot',
  ],
  [
    (part) => deviceName.test(part),
    'must not have a part that is the name of a device, such as "con" or "nul.txt"',
  ],
];

function brokenRule(path: string): string | null {
  const broken = pathRules.find(([breaks]) => breaks(path));
  if (broken !== undefined) {
    return broken[1];
  }
  const parts = path.split('/');
  return partRules.find(([breaks]) => parts.some(breaks))?.[1] ?? null;
}

export type PreviewPath = { path: string; problem: null } | { path: null; problem: string };

/**
 * The path as it is stored (NFC), or the rule that it breaks. Characters that look like those with a meaning,
 * such as the full-width "．．／", are held to the same rules.
 */
export function normalizePreviewPath(given: string): PreviewPath {
  const path = given.normalize('NFC');
  const problem = brokenRule(path) ?? brokenRule(path.normalize('NFKC'));
  return problem === null ? { path, problem: null } : { path: null, problem };
}

/** Equal for paths that are one file where case, or the form of a character, does not count. */
const folded = (path: string) => path.normalize('NFKC').toUpperCase().toLowerCase();

/**
 * The first of the paths that cannot be beside those before it, and why; null where all can
 * be. Takes normalized paths.
 */
export function clashingPath(paths: readonly string[]): { index: number; problem: string } | null {
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const [index, path] of paths.entries()) {
    const file = folded(path);
    const above = foldersAbove(file);
    if (files.has(file)) {
      return { index, problem: 'is the same as an earlier path, perhaps in another case' };
    }
    if (folders.has(file) || above.some((folder) => files.has(folder))) {
      return { index, problem: 'makes one path a file and a folder' };
    }
    files.add(file);
    for (const folder of above) {
      folders.add(folder);
    }
  }
  return null;
}

/** `a` and `a/b` of `a/b/c`. */
function foldersAbove(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}

/** What a folder shows; that of the root is what people see first. */
export const indexName = 'index.html';

export interface RequestedFile {
  path: string;
  /**
   * Where there is no such file, this one is at the same address with a slash at its end; null for a folder.
   */
  indexPath: string | null;
}

/**
 * The file that the path of a request names; null when it names none. `/` and folders
 * have their `index.html`.
 */
export function requestedFile(urlPath: string): RequestedFile | null {
  const decoded = decodedOnce(urlPath);
  if (decoded === '/') {
    return { path: indexName, indexPath: null };
  }
  if (decoded === null || !decoded.startsWith('/')) {
    return null;
  }
  const isFolder = decoded.endsWith('/');
  const { path } = normalizePreviewPath(decoded.slice(1, isFolder ? -1 : undefined));
  if (path === null) {
    return null;
  }
  const indexPath = `${path}/${indexName}`;
  return isFolder ? { path: indexPath, indexPath: null } : { path, indexPath };
}

function decodedOnce(urlPath: string): string | null {
  try {
    return decodeURIComponent(urlPath);
  } catch {
    return null;
  }
}

/**
 * Of a folder's `index.html`, the address of the folder. Each part is encoded, so that
 * it leads to no other host.
 */
export const folderAddress = (indexPath: string): string =>
  `/${indexPath.slice(0, -indexName.length).split('/').map(encodeURIComponent).join('/')}`;
