// Text that somebody else wrote: names of files, titles, quotes, questions, what a
// model said. Characters in it that nobody sees can turn the words around them or
// make two names look alike; they are shown by their number instead.

export interface Piece {
  kind: 'text' | 'mark' | 'inner' // inner: what stands between “ and ”
  text: string
  hint: string
}

const names: Record<number, string> = {
  0x00ad: 'soft hyphen',
  0x061c: 'Arabic letter mark',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of a change of direction',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'isolate',
  0x2069: 'end of an isolate',
  0xfeff: 'byte order mark',
}

// Ranges of what draws nothing: controls but tab and line ends, marks of direction,
// joiners, fillers, tags. Variation selectors stay; they belong to emoji.
const ranges: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe007f],
]
const joiners = new Set([0x200b, 0x200c, 0x200d, 0x2060])

const unseen = (c: number): boolean => ranges.some(([a, b]) => c >= a && c <= b)
const letter = (s: string | undefined): boolean => s !== undefined && /[\p{L}\p{M}]/u.test(s)
const beyond = (s: string | undefined): boolean => (s?.codePointAt(0) ?? 0) > 0x7f

/**
 * Whether the character at i is shown by its number. In running text joiners
 * between characters that are not ASCII are part of how those scripts are written,
 * and a soft hyphen within a word is where it may break; in a name neither is.
 */
function marked(all: readonly string[], i: number, name: boolean): boolean {
  const c = all[i]?.codePointAt(0) ?? 0
  if (c < 0x7f ? c >= 0x20 || (c > 8 && c < 0x0e) : !unseen(c)) return false
  if (joiners.has(c)) return !(beyond(all[i - 1]) && beyond(all[i + 1]))
  if (c === 0xad && !name) return !(letter(all[i - 1]) && letter(all[i + 1]))
  return true
}

const number = (c: string): string =>
  `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Cuts text into what is shown as it is and what is shown by its number. With
 * inner, words between “ and ” are pieces of their own, to be kept apart from the
 * sentence around them.
 */
export function pieces(text: string, opt: { name?: boolean; inner?: boolean } = {}): Piece[] {
  const out: Piece[] = []
  let run = ''
  const flush = (): void => {
    if (run === '') return
    if (opt.inner && run.includes('“')) {
      for (const part of run.split(/(?<=“)([^“”]+)(?=”)/)) {
        const inner = out.length > 0 && out[out.length - 1]?.text.endsWith('“') === true
        if (part !== '') out.push({ kind: inner ? 'inner' : 'text', text: part, hint: '' })
      }
    } else out.push({ kind: 'text', text: run, hint: '' })
    run = ''
  }
  const all = Array.from(text)
  all.forEach((c, i) => {
    if (!marked(all, i, opt.name ?? false)) {
      run += c
      return
    }
    flush()
    const what = names[c.codePointAt(0) ?? 0] ?? 'a character that nobody sees'
    out.push({ kind: 'mark', text: number(c), hint: `Stands here unseen: ${what}` })
  })
  flush()
  return out
}

/** The same as one string, for titles and labels that can hold no elements. */
export function visible(text: string, name = false): string {
  return pieces(text, { name })
    .map((p) => (p.kind === 'mark' ? `[${p.text}]` : p.text))
    .join('')
}
