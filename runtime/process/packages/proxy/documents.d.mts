/** Maps a file's URL to the one that the sandbox uses. */
export type Rewrite = (url: URL) => string;

/** npm's document about one package, with every file URL replaced. Throws for anything else. */
export function rewritePackument(text: string, base: URL, rewrite: Rewrite): string;

/** The page of one project in the JSON form of a Python package index. Throws for anything else. */
export function rewriteSimpleJson(text: string, base: URL, rewrite: Rewrite): string;

/** The same in HTML. Unparsable URLs are removed. */
export function rewriteSimpleHtml(text: string, base: URL, rewrite: Rewrite): string;

export interface KnownFile {
  manager: 'npm' | 'uv';
  href: string;
}

export interface KnownFiles {
  /** The file's URL in the sandbox; empty when it is not an HTTP(S) URL, or when there are too many. */
  addressOf(target: URL, manager: KnownFile['manager']): string;
  find(id: string): KnownFile | null;
}

/** The files that documents named. `origin` is the proxy's own, as the sandbox sees it. */
export function createKnownFiles(origin: string): KnownFiles;
