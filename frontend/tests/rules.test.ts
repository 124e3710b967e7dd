import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((f) => /\.(svelte|ts|css)$/.test(f))
  .map((f) => [f, readFileSync(join('src', f), 'utf8')] as const)

describe('the page', () => {
  it('has a strict policy', () => {
    const html = readFileSync('index.html', 'utf8')
    const csp = /Content-Security-Policy"\s+content="([^"]*)"/.exec(html)?.[1] ?? ''
    expect(csp.startsWith("default-src 'none'")).toBe(true)
    expect(csp).toContain("script-src 'self';")
    expect(csp).not.toMatch(/unsafe|\*|https?:/)
    expect(html).not.toMatch(/<script(?![^>]*src=)|style=/)
  })
  it.each(files)('%s holds no markup from strings, no inline style, no endless animation', (_f, text) => {
    expect(text).not.toMatch(/\{@html|innerHTML|outerHTML|insertAdjacentHTML|\beval\(|new Function/)
    expect(text).not.toMatch(/\sstyle="|animation:|@keyframes|transition:(?! none)/)
  })
  it('talks to Go in one file only', () => {
    expect(files.filter(([, text]) => text.includes('wailsjs')).map(([f]) => f)).toEqual(['lib/api.ts'])
  })
})

// types.ts is written by hand after app/dto; this holds them together.
describe('types.ts', () => {
  const go = readFileSync('../app/dto/dto.go', 'utf8')
  const ts = readFileSync('src/lib/types.ts', 'utf8')
  const kind: Record<string, string> = {
    string: 'string',
    bool: 'boolean',
    int: 'number',
    int64: 'number',
    float64: 'number',
  }
  const type = (t: string): string =>
    t.startsWith('[]') ? `${type(t.slice(2))}[]` : t.startsWith('*') ? type(t.slice(1)) : (kind[t] ?? t)

  it.each(
    [...go.matchAll(/type (\w+) struct \{([\s\S]*?)\n\}/g)].map((m) => [m[1] ?? '', m[2] ?? ''] as const),
  )('%s is the same', (name, body) => {
    const want = [...body.matchAll(/^\s+\w+\s+(\S+)\s+`json:"(\w+)/gm)].map(
      (m) => `${m[2]}: ${type(m[1] ?? '')}`,
    )
    const found = new RegExp(`interface ${name} \\{([\\s\\S]*?)\\n\\}`).exec(ts)?.[1] ?? ''
    const have = [...found.matchAll(/^ {2}(\w+)\??: ([\w[\]]+)/gm)].map((m) => `${m[1]}: ${m[2]}`)
    expect(have).toEqual(want)
  })
})
