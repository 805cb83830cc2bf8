/** Which artifacts the page previews, and as what. Everything else is for download. Pure. */
import type { Artifact } from '../../api/types.ts';

export type PreviewKind = { as: 'text' } | { as: 'image'; type: string } | null;

/** Only what no browser runs: pictures without scripts. */
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const textTypes =
  /^(text\/.+|application\/(json|xml|yaml|toml|sql|x-ndjson|x-sh|javascript|.+\+(json|xml)))$/;

/** Text is shown up to this many bytes of it, pictures only as a whole. */
export const maxPreviewBytes = 2 * 1024 * 1024;
export const maxPreviewCharacters = 50_000;

export function previewKind({
  mime_type: mimeType,
  size_bytes: sizeBytes,
}: Pick<Artifact, 'mime_type' | 'size_bytes'>): PreviewKind {
  const type = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  if (sizeBytes > maxPreviewBytes) {
    return null;
  }
  if (imageTypes.has(type)) {
    return { as: 'image', type };
  }
  // Markup is text here too: it is shown, never drawn.
  return textTypes.test(type) || type === 'image/svg+xml' ? { as: 'text' } : null;
}

/** The beginning of a text, and whether more follows; a pair of surrogates stays whole. */
export function beginningOf(text: string, most = maxPreviewCharacters): { text: string; cut: boolean } {
  const last = text.charCodeAt(most - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
  return text.length <= most ? { text, cut: false } : { text: text.slice(0, end), cut: true };
}
