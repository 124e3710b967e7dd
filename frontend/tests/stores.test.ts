import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runningView } from '../dev/sample'
import { live, take } from '../src/lib/live'
import { nav } from '../src/lib/nav.svelte'
import type { Event } from '../src/lib/types'
import { work } from '../src/lib/work.svelte'
import { world } from '../src/lib/world.svelte'
import { backend, give, opened, refuse, setup, task } from './backend'

const event = (change: Partial<Event>): Event => ({ task: 't1', seq: 0, kind: 'stream', ...change })
const calls = (name: string): number => backend[name]?.mock.calls.length ?? 0
const hide = (hidden: boolean): void =>
  void Object.defineProperty(document, 'hidden', { configurable: true, value: hidden })

describe('work: snapshot and events', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('appends streamed text in order and drops what the snapshot holds already', async () => {
    await opened({ ...runningView('t1'), seq: 10 })
    const before = work.stream
    work.take(event({ seq: 10, text: 'old' }))
    work.take(event({ seq: 11, text: 'a' }))
    work.take(event({ seq: 12, text: 'b' }))
    expect(work.stream).toBe(`${before}ab`)
    await vi.runAllTimersAsync()
    expect(calls('view')).toBe(1)
  })

  it('fetches again after a gap, once for many', async () => {
    await opened({ ...runningView('t1'), seq: 10 })
    give('view', { ...runningView('t1'), seq: 15, sum: 'fresh' })
    work.take(event({ seq: 13, text: 'x' }))
    work.take(event({ seq: 15, text: 'y' }))
    await vi.runAllTimersAsync()
    expect(calls('view')).toBe(2)
    expect(work.view?.sum).toBe('fresh')
  })

  it('fetches again when something was saved', async () => {
    await opened({ ...runningView('t1'), seq: 1 })
    for (let seq = 2; seq < 8; seq++) work.take(event({ seq, kind: 'saved' }))
    await vi.runAllTimersAsync()
    expect(calls('view')).toBe(2)
  })

  it('shows a new status at once, and starts the text anew with the next step', async () => {
    const v = await opened({ ...runningView('t1'), seq: 1 })
    work.take(
      event({
        seq: 2,
        kind: 'status',
        status: { ...v.status, sentence: 'Saving', step: 'another', stream: '' },
      }),
    )
    expect(work.view?.status.sentence).toBe('Saving')
    expect(work.stream).toBe('')
  })

  it('keeps an earlier checkpoint as it was', async () => {
    const v = await opened({ ...runningView('t1'), seq: 1, at: 40 })
    work.take(event({ seq: 2, kind: 'status', status: { ...v.status, sentence: 'Saving' } }))
    expect(work.view?.status.sentence).toBe(v.status.sentence)
  })

  it('fetches nothing while hidden and what it owes on return', async () => {
    await opened({ ...runningView('t1'), seq: 1 })
    hide(true)
    work.take(event({ seq: 2, kind: 'saved' }))
    await vi.runAllTimersAsync()
    expect(calls('view')).toBe(1)
    expect(work.owed).toBe(true)
    hide(false)
    await work.seen()
    expect(calls('view')).toBe(2)
    expect(work.owed).toBe(false)
  })

  it('ignores other tasks and bounds the text it keeps', async () => {
    await opened({ ...runningView('t1'), seq: 1 })
    work.take(event({ task: 't2', seq: 2, text: 'no' }))
    expect(work.stream).not.toContain('no')
    work.take(event({ seq: 2, text: 'x'.repeat(20_000) }))
    expect(work.stream).toHaveLength(6000)
  })

  it('searches again only after something changed', async () => {
    await opened({ ...runningView('t1'), seq: 1 })
    work.want(['candidates'])
    await vi.runAllTimersAsync()
    await work.refresh()
    expect(calls('candidates')).toBe(1)
    give('view', { ...runningView('t1'), seq: 2, state_hash: 'other' })
    await work.refresh()
    expect(calls('candidates')).toBe(2)
  })

  it('does not mix two tasks when answers cross', async () => {
    let answer: (v: unknown) => void = () => undefined
    backend.view?.mockImplementationOnce(() => new Promise((done) => (answer = done)))
    const first = work.open('t1', 0)
    give('view', runningView('t2'))
    await work.open('t2', 0)
    answer(runningView('t1'))
    await first
    await vi.runAllTimersAsync()
    expect(work.view?.id).toBe('t2')
  })
})

describe('work: what a person does', () => {
  it('does it, says it with a way back, and shows the new state', async () => {
    await opened(runningView('t1'))
    const done = await work.act((id) => backend.accept?.(id, 'c1') as Promise<void>, 'Confirmed.')
    expect(done).toBe(true)
    expect(world.said?.text).toBe('Confirmed.')
    expect(calls('view')).toBe(2)
    world.said?.undo?.()
    await vi.waitFor(() => expect(calls('undo')).toBe(1))
    await vi.waitFor(() => expect(world.said?.text).toBe('Undone: your check.'))
    expect(world.said?.undo).toBeUndefined()
  })

  it('shows what went wrong in three parts and does not say it was done', async () => {
    await opened(runningView('t1'))
    const p = { kind: 'refused', what: 'That is too long.', safe: 'Nothing changed.', do: 'Shorten it.' }
    refuse('edit', p)
    expect(await work.act(() => backend.edit?.() as Promise<string>, 'Corrected.')).toBe(false)
    expect(world.problem).toEqual(p)
    expect(world.said).toBeNull()
    expect(work.busy).toBe(false)
  })

  it('does one thing at a time', async () => {
    await opened(runningView('t1'))
    const [a, b] = await Promise.all([
      work.act(() => Promise.resolve(), 'a'),
      work.act(() => Promise.resolve(), 'b'),
    ])
    expect([a, b]).toEqual([true, false])
  })

  it('says when a task could not be opened', async () => {
    refuse('view', { kind: 'damaged', what: 'Broken.', safe: '', do: '' })
    await work.open('t1', 0)
    expect(work.missing).toBe(true)
    expect(world.problem?.what).toBe('Broken.')
  })
})

describe('world', () => {
  it('sorts tasks by what they need', async () => {
    give('tasks', [task(), task({ id: 'b', group: 'needs_you' }), task({ id: 'c', group: 'finished' })])
    await world.load()
    expect([world.working, world.needsYou, world.finished].map((l) => l.length)).toEqual([1, 1, 1])
  })

  it('shows why the records could not be opened', async () => {
    const error = {
      kind: 'newer',
      what: 'A newer Cairn wrote this.',
      safe: 'Nothing was changed.',
      do: 'Update.',
    }
    give('setup', { ...setup, stage: 'error', error })
    refuse('tasks', error)
    refuse('preferences', error)
    await world.load()
    expect(world.problem).toEqual(error)
    expect(world.loaded).toBe(true)
  })

  it('takes a preference back when it could not be saved', async () => {
    refuse('setPreferences', { kind: 'disk_full', what: 'Full.', safe: '', do: '' })
    await world.savePrefs({ theme: 'dark' })
    expect(world.prefs?.theme).toBe('system')
    expect(world.problem?.what).toBe('Full.')
  })
})

describe('live', () => {
  it('follows the set-up and keeps what an event leaves out', () => {
    take({
      task: '',
      seq: 1,
      kind: 'setup',
      setup: { ...setup, stage: 'getting_model', home: '', version: '' },
    })
    expect(world.setup?.stage).toBe('getting_model')
    expect(world.setup?.version).toBe('0.1.0')
  })

  it('opens a file that came from outside in its preview', () => {
    take({ task: '', seq: 1, kind: 'open_file', text: '/x/a.cairn.md' })
    expect(world.opened).toBe('/x/a.cairn.md')
    expect(location.hash).toBe('#/import')
  })

  it('reads the list once for many changes, and again when looked at', async () => {
    vi.useFakeTimers()
    const stop = live()
    try {
      for (let seq = 1; seq < 9; seq++) take({ task: '', seq, kind: 'tasks' })
      await vi.runAllTimersAsync()
      expect(calls('tasks')).toBe(1)
      hide(true)
      take({ task: '', seq: 9, kind: 'tasks' })
      await vi.runAllTimersAsync()
      expect(calls('tasks')).toBe(1)
      hide(false)
      document.dispatchEvent(new Event_('visibilitychange'))
      await vi.runAllTimersAsync()
      expect(calls('tasks')).toBe(2)
    } finally {
      stop()
      vi.useRealTimers()
    }
  })
})

const Event_ = globalThis.Event

describe('nav', () => {
  it('follows the address and lets go of what was chosen elsewhere', () => {
    const stop = nav.start()
    location.hash = '#/task/t1/run'
    dispatchEvent(new HashChangeEvent('hashchange'))
    nav.chosen = { claim: 'c1', place: null }
    location.hash = '#/task/t1/report'
    dispatchEvent(new HashChangeEvent('hashchange'))
    expect(nav.chosen).not.toBeNull()
    location.hash = '#/task/t1/run'
    dispatchEvent(new HashChangeEvent('hashchange'))
    expect(nav.chosen).toBeNull()
    nav.chosen = { claim: 'c1', place: null }
    location.hash = '#/task/t2/check'
    dispatchEvent(new HashChangeEvent('hashchange'))
    expect(nav.chosen).toBeNull()
    expect(nav.route).toEqual({ name: 'task', id: 't2', place: 'check', at: 0 })
    stop()
  })
})

describe('a task that is deleted elsewhere', () => {
  it('leaves its page, and only then', async () => {
    vi.useFakeTimers()
    try {
      world.problem = null
      give('tasks', [task({ id: 't1' })])
      nav.route = { name: 'task', id: 't1', place: 'checkpoint', at: 0 }
      location.hash = '#/task/t1/checkpoint'
      take({ task: '', seq: 1, kind: 'tasks' })
      await vi.runAllTimersAsync()
      expect(location.hash).toBe('#/task/t1/checkpoint')
      give('tasks', [])
      take({ task: '', seq: 2, kind: 'tasks' })
      await vi.advanceTimersByTimeAsync(600)
      expect(location.hash).not.toBe('#/task/t1/checkpoint')
      expect(world.said?.text).toBe('This task was deleted.')
    } finally {
      vi.useRealTimers()
    }
  })
})
