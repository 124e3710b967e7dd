import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/svelte'
import { afterEach, beforeEach, vi } from 'vitest'
import { reset } from './backend'

// The one file that talks to Go is replaced in every test.
vi.mock('../src/lib/api', async () => ({ api: (await import('./spies')).backend }))

beforeEach(() => {
  reset()
  Object.defineProperty(document, 'hidden', { configurable: true, value: false })
  window.matchMedia = ((query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  })) as unknown as typeof window.matchMedia
})

configure({ getElementError: (message) => new Error(message ?? '') })

afterEach(() => {
  cleanup()
  location.hash = ''
})
