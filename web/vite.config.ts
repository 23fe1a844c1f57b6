// How the dashboard is built: one small entry, one file per page behind it, every name hashed, nothing inline (the server's policy
// forbids it). `npm run dev` serves the sources and passes the API on to a server of this machine (MUSTER_URL).
import { defineConfig } from 'vitest/config';

const server = process.env.MUSTER_URL ?? 'http://127.0.0.1:8080';
// The server answers pages of its own origin alone, so the proxy speaks in its name.
const passedOn = { target: server, changeOrigin: true, headers: { origin: server } };

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    rollupOptions: {
      output: {
        // What pages share is one file, or each page would wait for a dozen small ones; what draws charts and graphs stays apart.
        manualChunks: (id) =>
          /uplot|dagre/i.test(id) ? undefined : /node_modules|\/src\/(api|data|rules|frame|parts)\/|vite\/preload/.test(id) ? 'app' : undefined,
      },
    },
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': passedOn, '/events': passedOn } },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
