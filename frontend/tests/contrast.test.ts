import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

// AA for every text colour on every ground it stands on, in both themes.
const css = readFileSync('src/styles/tokens.css', 'utf8')

function tokens(selector: string): Record<string, string> {
  const start = css.indexOf(selector)
  const body = css.slice(start, css.indexOf('}', start))
  return Object.fromEntries(
    [...body.matchAll(/--([a-z-]+):\s*(#[0-9a-f]{6})/g)].map((m) => [m[1] ?? '', m[2] ?? '']),
  )
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p) as [number, number]
  return (x + 0.05) / (y + 0.05)
}

const grounds = ['ground', 'panel', 'sunk', 'hover', 'accent-soft']
const texts = ['text', 'mute', 'faint', 'accent', 'stated', 'backed', 'agreed', 'checked', 'warn', 'bad']
const pairs = [
  ...texts.flatMap((t) => grounds.map((g) => [t, g] as const)),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['on-mark', 'mark'],
  ['text', 'warn-soft'],
  ['text', 'bad-soft'],
] as const

describe.each([
  ['light', ':root {'],
  ['dark', ":root[data-theme='dark'] {"],
])('%s', (_name, selector) => {
  const t = tokens(selector)
  it.each(pairs)('%s on %s', (a, b) => {
    expect(t[a], a).toBeDefined()
    expect(t[b], b).toBeDefined()
    expect(contrast(t[a] ?? '', t[b] ?? '')).toBeGreaterThanOrEqual(4.5)
  })
  it('shows the edge of fields', () =>
    expect(contrast(t.edge ?? '', t.panel ?? '')).toBeGreaterThanOrEqual(3))
})
