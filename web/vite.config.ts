/** How the UI is built (scripts/build.mjs), and served during development (scripts/dev-web.mjs). */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // No workspace is called so: a workspace's slug begins with a letter or a digit.
    assetsDir: '_assets',
    manifest: true,
    // Of these, light-dark() stays as it is written: each colour is one pair.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Nothing becomes a data: URL that the content security policy would have to allow.
    assetsInlineLimit: 0,
    // test/browser/bundle-size.test.ts measures what counts: the compressed first load.
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Without groups there is a file for each set of pages that shares something: dozens for one page.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: 'common', minShareCount: 10, priority: 1 },
          ],
        },
      },
      // Libraries mark their files for server-side rendering, which is not used here.
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
    },
  },
  oxc: { jsx: { runtime: 'automatic' } },
});
