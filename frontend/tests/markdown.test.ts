import { describe, expect, it } from 'vitest'
import { blocks, inline } from '../src/lib/markdown'

describe('inline', () => {
  it('reads strong, emphasis, code and keeps the rest', () => {
    expect(inline('a **b** *c* `d*e*` f_g_h')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'strong', text: 'b' },
      { kind: 'text', text: ' ' },
      { kind: 'em', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'd*e*' },
      { kind: 'text', text: ' f_g_h' },
    ])
  })
  it('keeps what is escaped and decodes entities, but makes no markup of either', () => {
    expect(inline('\\*not\\* &lt;script&gt; &#60;')).toEqual([{ kind: 'text', text: '*not* <script> <' }])
  })
  it('keeps the words of a link and loses its target', () => {
    expect(inline('see [here](javascript:alert(1)) now')[0]?.text).toContain('see here')
    expect(JSON.stringify(inline('[x](https://a.example/)'))).not.toContain('example')
  })
})

describe('blocks', () => {
  it('reads headings, text, quotes, lists and rules', () => {
    const b = blocks('# T\n\none\ntwo\n\n> q1\n> q2\n\n- a\n  more\n- b\n  > inner\n\n1. x\n2. y\n\n---\n')
    expect(b.map((x) => x.kind)).toEqual(['heading', 'text', 'quote', 'list', 'list', 'rule'])
    expect(b[1]).toEqual({ kind: 'text', parts: [{ kind: 'text', text: 'one two' }] })
    const list = b[3]
    if (list?.kind !== 'list') throw new Error('no list')
    expect(list.items).toHaveLength(2)
    expect(list.items[1]?.map((x) => x.kind)).toEqual(['text', 'quote'])
  })
  it('takes a fence as it stands, also one that never closes', () => {
    expect(blocks('````cairn\n```\n# no\n````\nafter')[0]).toEqual({
      kind: 'code',
      info: 'cairn',
      text: '```\n# no',
      lines: 2,
    })
    expect(blocks('```\nopen')[0]).toEqual({ kind: 'code', info: '', text: 'open', lines: 1 })
  })
  it('reads a table', () => {
    const t = blocks('| a | b |\n|---|:-:|\n| 1 | 2 |\n')[0]
    if (t?.kind !== 'table') throw new Error('no table')
    expect([t.head.length, t.rows.length]).toEqual([2, 1])
  })
  it('takes the lines for programs at the top apart', () => {
    expect(blocks('---\ntitle: "a"\n---\n# T')).toEqual([
      { kind: 'matter', lines: ['title: "a"'] },
      { kind: 'heading', level: 1, parts: [{ kind: 'text', text: 'T' }] },
    ])
    expect(blocks('---\nno end').map((x) => x.kind)).toEqual(['rule', 'text'])
  })
  it('keeps comments out of the text', () =>
    expect(blocks('<!-- cairn\nx -->\nafter').map((x) => x.kind)).toEqual(['comment', 'text']))
  it('ends on anything', () => {
    for (const s of [
      '',
      '\n',
      '>',
      '-',
      '- ',
      '```',
      '<!--',
      '|',
      '1.',
      '#',
      '> > > > > > > > > > > x',
      '***',
      '**a',
      '\u0000',
      '- \n  - \n    -',
    ])
      expect(Array.isArray(blocks(s))).toBe(true)
  })
  it('is quick on a long file', () => {
    const text = '- **a** *b* `c` [d](e) **'.repeat(40) + '\n'
    const start = performance.now()
    blocks(text.repeat(500))
    expect(performance.now() - start).toBeLessThan(3000)
  })
})
