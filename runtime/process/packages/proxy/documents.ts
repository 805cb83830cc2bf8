/** Pure: what a registry says about a package, with every address of a file replaced by one of the platform's proxy. */
import { z } from 'zod';

/** Gives a file's address the one that the sandbox asks for it at. */
export type Rewrite = (url: URL) => string;

const packument = z.looseObject({
  versions: z.record(z.string(), z.looseObject({ dist: z.looseObject({ tarball: z.string() }) })),
});

/** npm's document about one package. Throws for anything else. */
export function rewritePackument(text: string, base: URL, rewrite: Rewrite): string {
  const document = packument.parse(JSON.parse(text));
  for (const { dist } of Object.values(document.versions)) {
    dist.tarball = rewrite(new URL(dist.tarball, base));
  }
  return JSON.stringify(document);
}

const simplePage = z.looseObject({ files: z.array(z.looseObject({ url: z.string() })) });

/** The page of one project in the JSON form of a Python package index. Throws for anything else. */
export function rewriteSimpleJson(text: string, base: URL, rewrite: Rewrite): string {
  const page = simplePage.parse(JSON.parse(text));
  for (const file of page.files) {
    file.url = rewrite(new URL(file.url, base));
  }
  return JSON.stringify(page);
}

/** The same in HTML. What does not read as an address loses it. */
export function rewriteSimpleHtml(text: string, base: URL, rewrite: Rewrite): string {
  return text.replace(/href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi, (_all, double?: string, single?: string) => {
    const address = (double ?? single ?? '').replaceAll('&amp;', '&');
    return `href="${URL.canParse(address, base.href) ? rewrite(new URL(address, base)) : ''}"`;
  });
}
