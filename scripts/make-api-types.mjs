/**
 * Makes the types of the API that the web UI is written against, dist/api-types.d.ts, from docs/openapi.json.
 * The set-up of tests, `npm run build`, `typecheck`, `docs` and `dev:web` do so; bundles and images need no
 * types.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeWhole } from './setup/write-whole.mjs';

const source = 'docs/openapi.json';
const target = 'dist/api-types.d.ts';

/** The first line names what it is made of, so that it is made again only when that changed. */
export async function makeApiTypes(root) {
  const text = readFileSync(join(root, source), 'utf8');
  const file = join(root, target);
  const firstLine = `/** Made from ${source} by scripts/make-api-types.mjs: ${hashOf(text, makerVersion())} */\n`;
  if (existsSync(file) && readFileSync(file, 'utf8').startsWith(firstLine)) {
    return undefined;
  }
  const { default: openapiTypescript, astToString } = await import('openapi-typescript');
  mkdirSync(dirname(file), { recursive: true });
  writeWhole(file, firstLine + astToString(await openapiTypescript(JSON.parse(text))));
  return 'made';
}

function makerVersion() {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return devDependencies['openapi-typescript'];
}

const hashOf = (...texts) => createHash('sha256').update(texts.join('\0')).digest('hex');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await makeApiTypes(fileURLToPath(new URL('..', import.meta.url)));
}
