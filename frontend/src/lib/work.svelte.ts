// The task that is open: one snapshot (View) and small sequenced events on top.
// A gap in the sequence, a save, a return to the window: the snapshot is fetched
// again. While the page is hidden nothing is fetched; it is owed instead.
import { untrack } from 'svelte'
import { api } from './api'
import { settle } from './focus'
import type { Entry, Event, Question, Source, View } from './types'
import { world } from './world.svelte'

/** At most so much of the running call's text is kept on screen. */
const streamKept = 6000
/** Saves that follow each other closely are answered by one fetch. */
const settleMs = 250

type Part = 'sources' | 'entries' | 'candidates'

export class Work {
  id = $state('')
  at = $state(0)
  view = $state.raw<View | null>(null)
  sources = $state.raw<Source[] | null>(null)
  entries = $state.raw<Entry[] | null>(null)
  candidates = $state.raw<Question[] | null>(null)
  stream = $state('')
  busy = $state(false)
  missing = $state(false)

  #seq = 0
  #wanted: Part[] = []
  #full = false
  #fetching = false
  #again = false
  #owed = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #searchedAt = ''

  /** Opens a task, or an earlier checkpoint of it. */
  open(id: string, at: number): Promise<void> {
    // Called from effects, which must not run again because of what is read here.
    return untrack(() => this.#open(id, at))
  }

  async #open(id: string, at: number): Promise<void> {
    if (id === this.id && at === this.at && this.view) return
    if (id !== this.id) this.#forget()
    this.id = id
    this.at = at
    this.missing = false
    await this.refresh()
  }

  #forget(): void {
    clearTimeout(this.#timer)
    this.view = null
    this.sources = null
    this.entries = null
    this.candidates = null
    this.stream = ''
    this.#seq = 0
    this.#searchedAt = ''
    this.#wanted = []
  }

  close(): void {
    this.#forget()
    this.id = ''
    this.at = 0
  }

  /** A place says what it shows beside the view; it is kept fresh from then on. */
  want(parts: Part[], full = false): void {
    untrack(() => this.#want(parts, full))
  }

  #want(parts: Part[], full: boolean): void {
    const fresh = parts.filter((p) => !this.#wanted.includes(p) || this[p] === null)
    const fuller = full !== this.#full && parts.includes('entries')
    this.#wanted = parts
    this.#full = full
    if (this.id !== '' && (fresh.length > 0 || fuller)) void this.#fetchParts()
  }

  /** Fetches the snapshot now; calls that come meanwhile lead to one more. */
  async refresh(): Promise<void> {
    if (this.id === '') return
    if (this.#fetching) {
      this.#again = true
      return
    }
    this.#fetching = true
    try {
      do {
        this.#again = false
        await this.#fetchOnce()
      } while (this.#again)
    } finally {
      this.#fetching = false
    }
  }

  async #fetchOnce(): Promise<void> {
    const { id, at } = this
    try {
      const view = await api.view(id, at)
      if (id !== this.id || at !== this.at) {
        this.#again = true
        return
      }
      this.view = view
      this.#seq = view.seq
      this.stream = view.status.stream
      await this.#fetchParts()
    } catch (e) {
      if (id !== this.id) return
      this.missing = this.view === null
      world.fail(e)
    }
  }

  async #fetchParts(): Promise<void> {
    const { id } = this
    const jobs: Promise<unknown>[] = []
    const keep = <T>(job: Promise<T>, put: (v: T) => void): void => {
      jobs.push(job.then((v) => (id === this.id ? put(v) : undefined)))
    }
    if (this.#wanted.includes('sources')) keep(api.sources(id), (v) => (this.sources = v))
    if (this.#wanted.includes('entries')) keep(api.timeline(id, this.#full), (v) => (this.entries = v))
    // Searching again makes sense only after something was saved.
    const state = `${id} ${this.view?.state_hash ?? ''} ${this.view?.counts.sources ?? 0}`
    if (this.#wanted.includes('candidates') && (this.candidates === null || state !== this.#searchedAt)) {
      this.#searchedAt = state
      keep(api.candidates(id), (v) => (this.candidates = v))
    }
    try {
      await Promise.all(jobs)
    } catch (e) {
      if (id === this.id) world.fail(e)
    }
  }

  #soon(): void {
    if (document.hidden) {
      this.#owed = true
      return
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.refresh(), settleMs)
  }

  /** Takes in one event of this task. */
  take(e: Event): void {
    if (e.task !== this.id || this.id === '') return
    if (document.hidden) {
      this.#owed = true
      return
    }
    if (this.view === null || (e.seq > 0 && e.seq <= this.#seq)) return
    if (e.seq > this.#seq + 1) {
      this.#seq = e.seq
      this.#apply(e)
      this.#soon()
      return
    }
    if (e.seq > 0) this.#seq = e.seq
    this.#apply(e)
  }

  #apply(e: Event): void {
    switch (e.kind) {
      case 'status':
        if (!e.status || !this.view) return
        if (e.status.step !== this.view.status.step || e.status.stream !== '') this.stream = e.status.stream
        if (e.status.running !== this.view.status.running) this.#soon()
        if (this.at === 0) this.view = { ...this.view, status: e.status }
        return
      case 'stream':
        this.stream = (this.stream + (e.text ?? '')).slice(-streamKept)
        return
      case 'saved':
      case 'sources':
        this.#soon()
    }
  }

  /** The window is looked at again: fetch what was missed. */
  async seen(): Promise<void> {
    if (this.id === '') return
    this.#owed = false
    await this.refresh()
  }

  get owed(): boolean {
    return this.#owed
  }

  /**
   * Does what a person asked for, then shows the new state. said is the sentence
   * about it; it may need what fn answered. Answers whether it was done.
   */
  async act<T>(
    fn: (id: string) => Promise<T>,
    said: string | ((v: T) => string),
    undo = true,
    focus: () => Promise<void> = () => settle(),
  ): Promise<boolean> {
    if (this.busy || this.id === '') return false
    const { id } = this
    this.busy = true
    let done = false
    try {
      const v = await fn(id)
      world.problem = null
      world.say(typeof said === 'string' ? said : said(v), undo ? () => void this.undo() : undefined)
      await this.refresh()
      void world.loadTasks()
      done = true
    } catch (e) {
      world.fail(e)
    } finally {
      this.busy = false
    }
    // What had the focus may be gone with what was done.
    void focus()
    return done
  }

  async undo(): Promise<void> {
    world.quiet()
    await this.act(
      (id) => api.undo(id),
      (sentence) => sentence || 'Undone.',
      false,
    )
  }
}

export const work = new Work()
