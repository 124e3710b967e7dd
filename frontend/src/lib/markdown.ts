// Reads the small part of Markdown that a hand-off is written in, into a list of
// blocks. It never makes HTML: the blocks are shown as text nodes.

export type Inline = { kind: 'text' | 'strong' | 'em' | 'code'; text: string }

export type Block =
  | { kind: 'heading'; level: number; parts: Inline[] }
  | { kind: 'text'; parts: Inline[] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; ordered: boolean; items: Block[][] }
  | { kind: 'code'; info: string; text: string; lines: number }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'comment'; text: string }
  | { kind: 'matter'; lines: string[] }
  | { kind: 'rule' }

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' }

function plain(s: string): string {
  return s
    .replace(/&(amp|lt|gt|quot|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});/gi, (all, name: string) => {
      const known = entities[name.toLowerCase()]
      if (known !== undefined) return known
      const n = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10)
      return n > 0 && n <= 0x10ffff ? String.fromCodePoint(n) : all
    })
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
}

/** Strong, emphasis and code; links keep their words and lose their target. */
export function inline(s: string): Inline[] {
  const out: Inline[] = []
  const add = (kind: Inline['kind'], text: string): void => {
    if (text === '') return
    const last = out[out.length - 1]
    if (kind === 'text' && last?.kind === 'text') last.text += text
    else out.push({ kind, text })
  }
  const token =
    /(?<!\\)(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|(?<!\\)\*\*(?=\S)([\s\S]*?\S)\*\*|(?<![\\\w*])[*_](?=\S)([^*_]*?[^\s*_\\])[*_](?![\w*])|(?<!\\)!?\[([^\]]*)\]\([^)]*\)/g
  let at = 0
  for (const m of s.matchAll(token)) {
    add('text', plain(s.slice(at, m.index)))
    at = m.index + m[0].length
    if (m[2] !== undefined) add('code', m[2])
    else if (m[3] !== undefined) add('strong', plain(m[3]))
    else if (m[4] !== undefined) add('em', plain(m[4]))
    else add('text', plain(m[5] ?? ''))
  }
  add('text', plain(s.slice(at)))
  return out
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*(.*?)\s*$/
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/
const item = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+)(.*)$/
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const delimiter = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

export function blocks(text: string): Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  // Lines for programs between two rules at the very top.
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  if (end > 0) return [{ kind: 'matter', lines: lines.slice(1, end) }, ...read(lines.slice(end + 1), 0)]
  return read(lines, 0)
}

function cells(line: string): Inline[][] {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((c) => inline(c.trim()))
}

function read(lines: string[], depth: number): Block[] {
  const out: Block[] = []
  let i = 0
  const line = (n: number): string => lines[n] ?? ''
  while (i < lines.length) {
    const l = line(i)
    if (l.trim() === '') {
      i++
      continue
    }
    const f = fence.exec(l)
    if (f) {
      const close = f[1] ?? ''
      const body: string[] = []
      i++
      while (i < lines.length && !isClose(line(i), close)) body.push(line(i++))
      i++
      out.push({ kind: 'code', info: f[2] ?? '', text: body.join('\n'), lines: body.length })
      continue
    }
    if (l.trimStart().startsWith('<!--')) {
      const body: string[] = []
      do body.push(line(i))
      while (!line(i++).includes('-->') && i < lines.length)
      out.push({ kind: 'comment', text: body.join('\n').replace(/^\s*<!--\s*|\s*-->\s*$/g, '') })
      continue
    }
    const h = heading.exec(l)
    if (h) {
      out.push({ kind: 'heading', level: (h[1] ?? '').length, parts: inline(h[2] ?? '') })
      i++
      continue
    }
    if (rule.test(l)) {
      out.push({ kind: 'rule' })
      i++
      continue
    }
    if (/^ {0,3}>/.test(l)) {
      const body: string[] = []
      while (i < lines.length && /^ {0,3}>/.test(line(i))) body.push(line(i++).replace(/^ {0,3}> ?/, ''))
      out.push({
        kind: 'quote',
        blocks: depth < 8 ? read(body, depth + 1) : [{ kind: 'text', parts: inline(body.join(' ')) }],
      })
      continue
    }
    const it = item.exec(l)
    if (it) {
      const ordered = /\d/.test(it[2] ?? '')
      const items: Block[][] = []
      while (i < lines.length) {
        const m = item.exec(line(i))
        if (!m || /\d/.test(m[2] ?? '') !== ordered || rule.test(line(i))) break
        const indent = (m[1] ?? '').length + (m[2] ?? '').length + Math.min(4, (m[3] ?? '').length)
        const body = [m[4] ?? '']
        i++
        while (
          i < lines.length &&
          (indented(line(i), indent) || (line(i).trim() === '' && indented(line(i + 1), indent)))
        ) {
          body.push(line(i).slice(indent))
          i++
        }
        items.push(depth < 8 ? read(body, depth + 1) : [{ kind: 'text', parts: inline(body.join(' ')) }])
        if (line(i).trim() === '' && item.test(line(i + 1))) i++
      }
      out.push({ kind: 'list', ordered, items })
      continue
    }
    if (l.includes('|') && delimiter.test(line(i + 1)) && line(i + 1).includes('-')) {
      const head = cells(l)
      const rows: Inline[][][] = []
      i += 2
      while (i < lines.length && line(i).includes('|')) rows.push(cells(line(i++)))
      out.push({ kind: 'table', head, rows })
      continue
    }
    const body = [l.trim()]
    i++
    while (i < lines.length && line(i).trim() !== '' && !begins(line(i))) body.push(line(i++).trim())
    out.push({ kind: 'text', parts: inline(body.join(' ')) })
  }
  return out
}

const isClose = (l: string, open: string): boolean => {
  const t = l.trim()
  return t.length >= open.length && t === (open[0] ?? '`').repeat(t.length)
}

const indented = (l: string | undefined, n: number): boolean =>
  l !== undefined && l.trim() !== '' && l.length - l.trimStart().length >= n

const begins = (l: string): boolean =>
  fence.test(l) ||
  heading.test(l) ||
  /^ {0,3}>/.test(l) ||
  item.test(l) ||
  rule.test(l) ||
  l.trimStart().startsWith('<!--')
