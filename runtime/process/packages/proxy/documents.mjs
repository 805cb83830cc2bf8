/** Plain JavaScript, so that a thread can load it unbuilt. Its types are in documents.d.mts. */
import { createHash } from 'node:crypto';

const maxFiles = 200_000;
const maxHrefCharacters = 64 * 1024 * 1024;
const maxNameCharacters = 255;

export function rewritePackument(text, base, rewrite) {
  const document = JSON.parse(text);
  if (!isObject(document?.versions)) {
    throw new Error('a package without versions');
  }
  for (const version of Object.values(document.versions)) {
    const dist = version?.dist;
    dist.tarball = rewrite(urlOf(dist.tarball, base));
  }
  return JSON.stringify(document);
}

export function rewriteSimpleJson(text, base, rewrite) {
  const page = JSON.parse(text);
  if (!Array.isArray(page?.files)) {
    throw new Error('a page without files');
  }
  for (const file of page.files) {
    file.url = rewrite(urlOf(file.url, base));
  }
  return JSON.stringify(page);
}

export function rewriteSimpleHtml(text, base, rewrite) {
  return text.replace(/href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi, (_all, double, single) => {
    const address = (double ?? single ?? '').replaceAll('&amp;', '&');
    return `href="${URL.canParse(address, base.href) ? rewrite(new URL(address, base)) : ''}"`;
  });
}

export function createKnownFiles(origin) {
  const files = new Map();
  let hrefCharacters = 0;
  return {
    addressOf(target, manager) {
      const url = new URL(target);
      url.hash = '';
      const name = target.pathname.split('/').at(-1) ?? '';
      const isTooMuch = files.size >= maxFiles || hrefCharacters + url.href.length > maxHrefCharacters;
      if (!/^https?:$/.test(target.protocol) || name.length > maxNameCharacters || isTooMuch) {
        return '';
      }
      // A file's URL is stable: package managers record it in their output.
      const id = createHash('sha256').update(url.href).digest('hex');
      hrefCharacters += files.has(id) ? 0 : url.href.length;
      files.set(id, { manager, href: url.href });
      return `${origin}/file/${id}/${name === '' ? 'file' : name}${target.hash}`;
    },
    find: (id) => files.get(id) ?? null,
  };
}

function urlOf(address, base) {
  if (typeof address !== 'string') {
    throw new Error('a file without an address');
  }
  return new URL(address, base);
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
