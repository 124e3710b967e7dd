import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

// The strict policy of index.html stands in every build. Only the dev server,
// which puts styles into the page by script and reloads over a socket, gets a
// looser one.
const looserInDev: Plugin = {
  name: 'looser-policy-in-dev',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html
      .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
      .replace("connect-src 'self'", "connect-src 'self' ws:"),
}

// In mode "fake" the one file that talks to Go is replaced by sample data, so
// that the page can be looked at in a browser. No other mode contains it.
const fakeBackend: Plugin = {
  name: 'fake-backend',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (!/(^|\/)api$/.test(source) || importer === undefined) return null
    const found = await this.resolve(source, importer, { skipSelf: true })
    return found?.id === here('./src/lib/api.ts') ? here('./dev/api.ts') : null
  },
}

export default defineConfig(({ mode }) => ({
  plugins: [svelte(), looserInDev, ...(mode === 'fake' ? [fakeBackend] : [])],
  build: {
    target: 'es2022',
    outDir: mode === 'fake' ? 'node_modules/.cache/fake' : 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  resolve: process.env.VITEST ? { conditions: ['browser'] } : undefined,
  test: {
    environment: 'jsdom',
    include: ['tests/**/*.test.ts'],
    setupFiles: ['tests/setup.ts'],
    restoreMocks: true,
  },
}))
