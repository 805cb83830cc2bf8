/** The type of a preview's file, by its extension alone: browsers are told not to guess. */

const text = 'charset=utf-8';
const types: Readonly<Record<string, string>> = {
  html: `text/html; ${text}`,
  htm: `text/html; ${text}`,
  css: `text/css; ${text}`,
  js: `text/javascript; ${text}`,
  mjs: `text/javascript; ${text}`,
  json: `application/json; ${text}`,
  map: `application/json; ${text}`,
  txt: `text/plain; ${text}`,
  md: `text/plain; ${text}`,
  csv: `text/csv; ${text}`,
  xml: `application/xml; ${text}`,
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  webm: 'video/webm',
  wasm: 'application/wasm',
  pdf: 'application/pdf',
};

export function contentTypeOf(path: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(types, extension) ? (types[extension] ?? '') : 'application/octet-stream';
}
