/** Imported before anything else in a test process: TypeScript runs as it is, and `@jest/globals` is that of the file which runs. */
import { register } from 'node:module';

register('./loader-hooks.mjs', import.meta.url);
