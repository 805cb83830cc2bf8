/**
 * Loads the built web UI into memory at startup: files cannot change while a page is open, and no
 * request path reaches the disk.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface WebFile {
  contentType: string;
  content: Buffer;
  /** The same, compressed; null for what does not get smaller. */
  gzip: Buffer | null;
  /** As the build compressed it; null where it did not. */
  br: Buffer | null;
  /** Its name holds a hash of its content, so it never changes. */
  immutable: boolean;
}

export interface WebFiles {
  /** By path below `/app/`, such as `_assets/index-abc.js`. */
  files: ReadonlyMap<string, WebFile>;
  /** The page that every URL of the UI loads, split where the nonce goes. */
  page: readonly [string, string];
  /**
   * Sources for `script-src` that allow the page's inline scripts, each by the hash
   * of its text: `'sha256-…'`.
   */
  inlineScripts: readonly string[];
}

export const assetsFolder = '_assets/';
const noncePlace = '__CSP_NONCE__';
const pageName = 'index.html';

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  // Pages of the documentation, as the text that they are.
  '.md': 'text/plain; charset=utf-8',
};

/**
 * Null when the UI was not built. Throws unless the page has exactly one place for the nonce.
 * Skips files of other types.
 */
export function loadWebFiles(directory: string): WebFiles | null {
  let page: string;
  try {
    page = readFileSync(join(directory, pageName), 'utf8');
  } catch {
    return null;
  }
  const [before, after, ...more] = page.split(noncePlace);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${pageName} of the web UI must hold ${noncePlace} once`);
  }
  const found = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const files = new Map<string, WebFile>();
  for (const entry of found) {
    const file = join(entry.parentPath, entry.name);
    const contentType = contentTypes[extname(entry.name)];
    if (contentType !== undefined) {
      const path = relative(directory, file).split(sep).join('/');
      files.set(path, readWebFile(file, contentType, path.startsWith(assetsFolder)));
    }
  }
  return { files, page: [before, after], inlineScripts: inlineScriptsOf(page) };
}

const inlineScriptsOf = (page: string): string[] =>
  [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );

function readWebFile(file: string, contentType: string, immutable: boolean): WebFile {
  const content = readFileSync(file);
  const gzipped = gzipSync(content);
  return {
    ...{ contentType, content, immutable },
    gzip: gzipped.length < content.length ? gzipped : null,
    br: existsSync(`${file}.br`) ? readFileSync(`${file}.br`) : null,
  };
}
