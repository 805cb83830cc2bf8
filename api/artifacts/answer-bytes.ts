import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Artifact } from '../../store/artifacts/artifacts.ts';

const plainMimeType = /^[a-z0-9][a-z0-9.+-]{0,63}\/[a-z0-9][a-z0-9.+-]{0,63}$/i;

/**
 * Sends what an agent made as a download that no browser opens as a page of ours: chunk by chunk, as fast
 * as the reader takes them.
 */
export function answerBytes(ctx: Context, artifact: Artifact, chunks: AsyncIterable<Buffer>): void {
  ctx.set(
    'Content-Type',
    plainMimeType.test(artifact.mime_type) ? artifact.mime_type : 'application/octet-stream',
  );
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Security-Policy', "sandbox; default-src 'none'");
  ctx.set(
    'Content-Disposition',
    `attachment; filename="${plainName(artifact.name)}"; filename*=UTF-8''${encoded(artifact.name)}`,
  );
  ctx.body = Readable.from(chunks, { objectMode: false });
  ctx.length = artifact.size_bytes;
}

/**
 * For clients that read no `filename*` (RFC 6266): without what could end the quotation, be taken for a
 * folder, or be read in two ways.
 */
const plainName = (name: string): string => name.replaceAll(/[^\x20-\x7e]|["%/\\]/gu, '_');

/** RFC 5987 leaves fewer characters unescaped than `encodeURIComponent`. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
