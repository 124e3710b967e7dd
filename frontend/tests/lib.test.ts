import { describe, expect, it } from 'vitest'
import { doneView, runningView } from '../dev/sample'
import { inField, moveClaim, typing } from '../src/lib/keys'
import { format, parse, toTask } from '../src/lib/route'
import { Trouble, problemOf } from '../src/lib/trouble'
import { findClaim, openCandidates, restsOn, toCheck } from '../src/lib/view'
import { markOf, stands, toneOf } from '../src/lib/words'

describe('route', () => {
  it.each([
    '#/',
    '#/new',
    '#/settings',
    '#/import',
    '#/task/a%2Fb/check',
    '#/task/t/history/12',
    '#/handover/t',
  ])('%s comes back', (hash) => expect(format(parse(hash))).toBe(hash))
  it.each([
    ['', { name: 'home' }],
    ['#/nowhere/at/all', { name: 'home' }],
    ['#/task/t', { name: 'task', id: 't', place: 'checkpoint', at: 0 }],
    ['#/task/t/attic/-5', { name: 'task', id: 't', place: 'checkpoint', at: 0 }],
    ['#/task/%E0%A4%A', { name: 'home' }],
  ])('reads %s', (hash, want) => expect(parse(hash)).toEqual(want))
  it('names an earlier checkpoint', () => expect(toTask('t', 'report', 40)).toBe('#/task/t/report/40'))
})

describe('problemOf', () => {
  const p = { kind: 'disk_full', what: 'The disk is full.', safe: 'Nothing is lost.', do: 'Make room.' }
  it('takes a problem as an object, as JSON and inside an error', () => {
    expect(problemOf(p)).toEqual(p)
    expect(problemOf(JSON.stringify(p))).toEqual(p)
    expect(problemOf(new Error(JSON.stringify(p)))).toEqual(p)
    expect(problemOf(new Trouble(p))).toEqual(p)
  })
  it('makes sentences of anything else', () => {
    expect(problemOf('{not json').what).toBe('{not json')
    expect(problemOf(new Error('No such thing.')).what).toBe('No such thing.')
    expect(problemOf(new TypeError('x is undefined')).what).toBe('This page has no connection to Cairn.')
  })
})

describe('view', () => {
  const v = runningView('t')
  it('finds live and retracted claims', () => {
    expect(findClaim(v, 'c1')?.text).toMatch(/1 785 855/)
    expect(findClaim(v, v.retracted[0]?.id ?? '')?.standing).toBe('retracted')
    expect(findClaim(v, 'none')).toBeUndefined()
  })
  it('says what rests on a claim', () => {
    expect(restsOn(v, 'c1')).toEqual(['the partial answer to question 1'])
    expect(restsOn(doneView('t'), 'c1')).toEqual(['the answer to question 1', 'a sentence of the report'])
    expect(restsOn(v, 'c4')).toEqual([])
  })
  it('orders what is to check by what rests on it, without what was checked', () => {
    const ids = toCheck(v).map((c) => c.id)
    expect(ids.slice(0, 2)).toEqual(['c1', 'c3'])
    expect(ids).not.toContain('c2')
  })
  it('offers no candidate that a claim quotes already', () => {
    const q = v.questions[0]
    if (!q) throw new Error('no question')
    const place = q.claims[0]?.quotes[0]?.place
    if (!place) throw new Error('no place')
    const taken = { id: 'c1', text: 'a', place, score: 2 }
    const free = { id: 'c2', text: 'b', place: { ...place, from: 90, to: 90 }, score: 1 }
    expect(openCandidates(q, [{ ...q, candidates: [taken, free] }])).toEqual([free])
    expect(openCandidates({ ...q, candidates: [free] }, null)).toEqual([free])
  })
})

describe('words', () => {
  const c = runningView('t').questions[0]?.claims[0]
  if (!c) throw new Error('no claim')
  it.each([
    ['stated', 'active', 'empty'],
    ['backed', 'active', 'quarter'],
    ['agreed', 'active', 'half'],
    ['checked', 'active', 'full'],
    ['checked', 'retracted', 'dash'],
    ['backed', 'superseded', 'dash'],
  ])('%s and %s has its own shape', (trust, standing, shape) =>
    expect(markOf({ ...c, trust, standing }).shape).toBe(shape),
  )
  it('never calls a stale claim anything but to be redone', () =>
    expect(markOf({ ...c, standing: 'stale' }).word).toBe('to be redone'))
  it('marks what the sender reported', () =>
    expect(markOf({ ...c, reported: true }).word).toBe('quote attached, by the sender'))
  it('knows what stands', () => {
    expect(stands(c)).toBe(true)
    expect(stands({ ...c, standing: 'retracted' })).toBe(false)
  })
  it('gives a state its tone', () => {
    const s = runningView('t').status
    expect(
      ['reading', 'paused', 'waiting', 'damaged', 'done'].map((state) => toneOf({ ...s, state })),
    ).toEqual(['work', 'rest', 'wait', 'bad', 'done'])
  })
})

describe('keys', () => {
  it('leaves fields alone', () => {
    const input = document.createElement('input')
    const box = document.createElement('input')
    box.type = 'checkbox'
    expect([
      inField(input),
      inField(box),
      inField(document.createElement('textarea')),
      inField(document.body),
    ]).toEqual([true, false, true, false])
    expect(typing(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true }))).toBe(true)
  })
  it('walks the claims and stops at the ends', () => {
    expect(moveClaim(1)).toBe(false)
    document.body.innerHTML = '<button data-claim="a"></button><button data-claim="b"></button>' // eslint-disable-line no-restricted-properties -- a fixture of this test
    moveClaim(1)
    expect((document.activeElement as HTMLElement).dataset.claim).toBe('a')
    moveClaim(1)
    moveClaim(1)
    expect((document.activeElement as HTMLElement).dataset.claim).toBe('b')
    moveClaim(-1)
    expect((document.activeElement as HTMLElement).dataset.claim).toBe('a')
    document.body.replaceChildren()
  })
})
