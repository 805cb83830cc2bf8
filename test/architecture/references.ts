/** References to documents and their sections that do not exist. */
import { dirname, join } from 'node:path/posix';

/** Anchors of each Markdown file, by its path in the project. */
export type Pages = ReadonlyMap<string, ReadonlySet<string>>;

const withoutBlocks = (markdown: string) => markdown.replaceAll(/^( *)```.*?^\1```/gms, '');
const withoutCode = (markdown: string) => withoutBlocks(markdown).replaceAll(/`[^`\n]*`/g, '');

/** Anchors of the headings, as GitHub makes them. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(markdown).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) {
      anchor = `${slug}-${again}`;
    }
    anchors.add(anchor);
  }
  return anchors;
}

/**
 * References such as `docs/grants.md#holder` in code. Numbered sections of a page
 * without a name count as broken.
 */
export function brokenReferences(code: string, pages: Pages): string[] {
  const named = [...code.matchAll(/\bdocs\/[\w/.-]*?\.md(?:#[\w-]+)?/g)].map(([reference]) => reference);
  const numbered = [...code.matchAll(/\((?:design|spec)(?: \d|, [A-Z])[^)\n]*\)?/g)].map(([text]) => text);
  return [...named.filter((reference) => !isThere(reference, pages)), ...numbered];
}

/** Relative links of a Markdown file to nothing. `exists`: of files and folders that are not Markdown. */
export function brokenLinks(
  path: string,
  markdown: string,
  { pages, exists }: { pages: Pages; exists: (path: string) => boolean },
): string[] {
  return [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      return linked.endsWith('.md')
        ? !isThere(anchor === undefined ? linked : `${linked}#${anchor}`, pages)
        : !exists(linked);
    });
}

function isThere(reference: string, pages: Pages): boolean {
  const [page = '', anchor] = reference.split('#');
  const anchors = pages.get(page);
  return anchors !== undefined && (anchor === undefined || anchors.has(anchor));
}
