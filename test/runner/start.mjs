/**
 * What a test process starts with: TypeScript runs as it is, and `@jest/globals` is that of the file which
 * runs. As an import of the command line it would also be loaded by each thread that a test starts.
 */
import { register } from 'node:module';

register('./loader-hooks.mjs', import.meta.url);
await import('./run-files.mjs');
