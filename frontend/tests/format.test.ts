import { describe, expect, it } from 'vitest'
import * as f from '../src/lib/format'

const noon = new Date(2026, 4, 13, 12, 0, 0).getTime() // a Wednesday
const hour = 3_600_000

describe('times', () => {
  it('tells the clock', () => {
    const t = new Date(2026, 4, 13, 4, 3, 9).getTime()
    expect(f.clock(t)).toBe('04:03')
    expect(f.clock(t, true)).toBe('04:03:09')
  })
  it.each([
    [noon, 'Today'],
    [noon - 13 * hour, 'Yesterday'],
    [noon - 3 * 24 * hour, 'Sunday'],
    [noon - 40 * 24 * hour, '3 April 2026'],
    [noon + 30 * hour, '14 May 2026'],
  ])('names the day of %d', (t, want) => expect(f.day(t, noon)).toBe(want))
  it('says when something was saved', () => {
    expect(f.savedAt(noon, noon)).toBe('12:00:00')
    expect(f.savedAt(noon - 24 * hour, noon)).toBe('yesterday 12:00')
    expect(f.savedAt(noon - 3 * 24 * hour, noon)).toBe('Sunday 12:00')
  })
  it.each([
    [0, ''],
    [20, ''],
    [200, '0.2 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [72_000, '1 min 12 s'],
    [120_000, '2 min'],
    [4_440_000, '1 h 14 min'],
    [7_200_000, '2 h'],
  ])('%d ms took %s', (ms, want) => expect(f.took(ms)).toBe(want))
  it.each([
    [-1, ''],
    [0, '5 s'],
    [38, '40 s'],
    [70, '1 min'],
    [3720, '62 min'],
    [9000, '2.5 h'],
    [90_000, '25 h'],
  ])('%d s is about %s', (s, want) => expect(f.about(s)).toBe(want))
})

describe('numbers', () => {
  it.each([
    [12, '12 B'],
    [3054, '3 KB'],
    [999_600, '1.0 MB'],
    [98_000_000, '98 MB'],
    [3_340_000_000, '3.3 GB'],
  ])('%d bytes', (n, want) => expect(f.bytes(n)).toBe(want))
  it('groups thousands', () => {
    expect(f.count(1_785_855)).toBe('1,785,855')
    expect(f.count(12)).toBe('12')
  })
  it('counts things', () => {
    expect(f.some(1, 'claim')).toBe('1 claim')
    expect(f.some(0, 'claim')).toBe('0 claims')
    expect(f.some(2, 'thing rests', 'things rest')).toBe('2 things rest')
  })
  it('never says 100 % before the end', () => {
    expect(f.percent(999, 1000)).toBe(99)
    expect(f.percent(1000, 1000)).toBe(100)
    expect(f.percent(0, 0)).toBe(0)
  })
  it('words a rate', () => {
    expect(f.rate(41.2)).toBe('41')
    expect(f.rate(6.24)).toBe('6.2')
  })
})

describe('names', () => {
  it('names a document by its title, else by its file', () => {
    expect(f.shortName(' A study ', 'a.pdf')).toBe('A study')
    expect(f.shortName('', 'a.study.pdf')).toBe('a.study')
  })
  it('says where', () => {
    expect(f.where({ heading: 'Results', from: 9, to: 9, page: 0 })).toBe('“Results”, sentence 9')
    expect(f.where({ heading: '', from: 9, to: 11, page: 3 })).toBe('sentences 9 to 11, page 3')
  })
  it.each([
    ['Finding “Smart” spammers!', 'finding-smart-spammers.cairn.md'],
    ['Été à Zürich', 'ete-a-zurich.cairn.md'],
    ['../../etc/passwd', 'etc-passwd.cairn.md'],
    ['日本', 'task.cairn.md'],
    ['x'.repeat(200), `${'x'.repeat(60)}.cairn.md`],
  ])('names a file after %s', (title, want) => expect(f.fileName(title)).toBe(want))
})
