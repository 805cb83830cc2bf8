/** Gives a file's address the one that the sandbox asks for it at. */
export type Rewrite = (url: URL) => string;

/** npm's document about one package, with the address of every file replaced. Throws for anything else. */
export function rewritePackument(text: string, base: URL, rewrite: Rewrite): string;

/** The page of one project in the JSON form of a Python package index. Throws for anything else. */
export function rewriteSimpleJson(text: string, base: URL, rewrite: Rewrite): string;

/** The same in HTML. What does not read as an address loses it. */
export function rewriteSimpleHtml(text: string, base: URL, rewrite: Rewrite): string;

export interface KnownFile {
  manager: 'npm' | 'uv';
  href: string;
}

export interface KnownFiles {
  /** Where the sandbox asks for the file; nothing for what is no file of the web, or when there are too many. */
  addressOf(target: URL, manager: KnownFile['manager']): string;
  find(id: string): KnownFile | null;
}

/** The files that documents named. `origin` is the proxy's own, as the sandbox sees it. */
export function createKnownFiles(origin: string): KnownFiles;
