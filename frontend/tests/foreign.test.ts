import { render } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { pieces, visible } from '../src/lib/foreign'
import Foreign from '../src/parts/Foreign.svelte'

describe('characters that nobody sees', () => {
  it.each([
    ['a name that is turned around', 'invoice\u202Efdp.exe', 'invoice[U+202E]fdp.exe'],
    ['every mark of direction', '\u202A\u202B\u202C\u202D\u2066\u2067\u2068\u2069\u200E\u200F\u061C', ''],
    ['a zero-width space in a name', 'pay\u200Bpal.md', 'pay[U+200B]pal.md'],
    ['a byte order mark', '\uFEFFtitle', '[U+FEFF]title'],
    ['a control', 'a\u0007b\u009Fc\u007F', 'a[U+0007]b[U+009F]c[U+007F]'],
    ['a tag beyond the first plane', 'a\u{E0041}b', 'a[U+E0041]b'],
    ['a filler', 'a\u3164b', 'a[U+3164]b'],
    ['a joiner beside ASCII', 'a\u200Db', 'a[U+200D]b'],
  ])('%s is shown by its number', (_name, text, want) => {
    expect(visible(text)).toBe(
      want ||
        Array.from(text, (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`).join(
          '',
        ),
    )
  })

  it.each([
    ['plain words, tabs and line ends', 'a b\tc\nd\r\ne\fé'],
    ['Hebrew and Arabic', 'שלום العربية'],
    ['Persian with its non-joiner', 'می\u200Cخواهم'],
    ['Thai with zero-width spaces', 'ภาษา\u200Bไทย'],
    ['a family of emoji', '👩\u200D👩\u200D👧'],
    ['a red heart', '❤\uFE0F'],
    ['a soft hyphen within a word', 'data\u00ADset'],
  ])('%s stay as they are', (_name, text) => {
    expect(visible(text)).toBe(text)
    expect(pieces(text)).toHaveLength(1)
  })

  it('is stricter with names: a soft hyphen makes two of them look alike', () =>
    expect(visible('in\u00ADvoice.pdf', true)).toBe('in[U+00AD]voice.pdf'))

  it('loses nothing: the pieces are the text, but for the marks', () => {
    const text = 'Read “a\u202Eb”, then “שלום” and “”.'
    const all = pieces(text, { inner: true })
    expect(all.map((p) => (p.kind === 'mark' ? '\u202E' : p.text)).join('')).toBe(text)
    expect(all.filter((p) => p.kind === 'inner').map((p) => p.text)).toContain('שלום')
  })
})

describe('on the page', () => {
  it('foreign text is kept apart from the sentence around it', () => {
    const { container } = render(Foreign, { text: 'a\u202Eb' })
    expect(container.querySelector('bdi')).toHaveTextContent('aU+202Eb')
    expect(container.querySelector('.ctl')).toHaveAttribute('title', expect.stringContaining('override'))
    expect(container.textContent).not.toContain('\u202E')
  })
  it('so are the words that a sentence of ours quotes', () => {
    const { container } = render(Foreign, { text: 'Read “שלום”, sentences 4 to 9', inner: true })
    expect(container.querySelector('bdi bdi')?.textContent).toBe('שלום')
    expect(container.textContent).toBe('Read “שלום”, sentences 4 to 9')
  })
})
