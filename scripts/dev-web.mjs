/**
 * `npm run dev:web`: the web UI during development, in front of a running platform
 * (PLATFORM_URL, http://127.0.0.1:8080).
 */
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const platform = process.env.PLATFORM_URL ?? 'http://127.0.0.1:8080';

const server = await createServer({
  configFile: fileURLToPath(new URL('../web/vite.config.ts', import.meta.url)),
  server: {
    // The platform takes changes only from its own origin.
    proxy: { '/api': { target: platform, changeOrigin: true, headers: { origin: platform } } },
  },
});
await server.listen();
server.printUrls();
