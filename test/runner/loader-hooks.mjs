/** Turns TypeScript into JavaScript, once for each state of a file. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync, version } from 'esbuild';

const cache = fileURLToPath(new URL('../../node_modules/.cache/test-runner', import.meta.url));
const globals = new URL('./globals.mjs', import.meta.url).href;
mkdirSync(cache, { recursive: true });

export function resolve(specifier, context, next) {
  return specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context);
}

export function load(url, context, next) {
  if (!url.startsWith('file:') || !new URL(url).pathname.endsWith('.ts')) {
    return next(url, context);
  }
  return { format: 'module', source: javaScriptOf(fileURLToPath(url)), shortCircuit: true };
}

function javaScriptOf(file) {
  const { mtimeMs, size } = statSync(file);
  const key = createHash('sha256').update(`${version}\0${file}\0${mtimeMs}\0${size}`).digest('hex');
  const kept = join(cache, `${key}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { code } = transformSync(readFileSync(file, 'utf8'), {
      loader: 'ts',
      format: 'esm',
      target: 'es2023',
      sourcefile: file,
      sourcemap: 'inline',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    });
    // Test processes run side by side: each reads a whole file or none.
    const unfinished = `${kept}.${process.pid}`;
    writeFileSync(unfinished, code);
    renameSync(unfinished, kept);
    return code;
  }
}
