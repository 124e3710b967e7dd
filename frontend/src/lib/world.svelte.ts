// What the whole window knows: the list of tasks, the set-up behind it, the
// preferences, what went wrong, and what was just done.
import { api } from './api'
import { problemOf } from './trouble'
import type { Preferences, Problem, Setup, TaskSummary } from './types'

export interface Said {
  text: string
  undo?: () => void
}

/** How long a sentence about what was just done stays, in milliseconds. */
const saidFor = 8000

class World {
  tasks = $state.raw<TaskSummary[]>([])
  loaded = $state(false)
  setup = $state.raw<Setup | null>(null)
  prefs = $state.raw<Preferences | null>(null)
  problem = $state.raw<Problem | null>(null)
  said = $state.raw<Said | null>(null)
  help = $state(false)
  /** A hand-off file that was opened from outside and waits for its preview. */
  opened = $state('')

  #timer: ReturnType<typeof setTimeout> | undefined

  working = $derived(this.tasks.filter((t) => t.group === 'working'))
  needsYou = $derived(this.tasks.filter((t) => t.group === 'needs_you'))
  finished = $derived(this.tasks.filter((t) => t.group !== 'working' && t.group !== 'needs_you'))

  /** Shows e in the banner. */
  fail(e: unknown): void {
    this.problem = problemOf(e)
  }

  /** Says what was just done, with a way back when there is one. */
  say(text: string, undo?: () => void): void {
    if (text === '') return
    this.said = undo ? { text, undo } : { text }
    this.release()
  }

  /** Keeps the sentence while somebody points at it or its buttons have the focus. */
  hold(): void {
    clearTimeout(this.#timer)
  }

  release(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.said = null), saidFor)
  }

  quiet(): void {
    clearTimeout(this.#timer)
    this.said = null
  }

  async loadTasks(): Promise<void> {
    try {
      this.tasks = await api.tasks()
    } catch (e) {
      this.fail(e)
    } finally {
      this.loaded = true
    }
  }

  async load(): Promise<void> {
    const setup = api.setup().then(
      (s) => (this.setup = s),
      (e: unknown) => this.fail(e),
    )
    const prefs = api.preferences().then(
      (p) => (this.prefs = p),
      () => undefined, // the set-up says why when the records can't be opened
    )
    await Promise.all([setup, prefs])
    if (this.setup?.stage === 'error' && this.setup.error) this.problem = this.setup.error
    await this.loadTasks()
    await this.notices()
  }

  /** Shows what opening the records mended or lost; Settings keeps showing it. */
  async notices(): Promise<void> {
    if (this.problem) return // what is wrong now comes first
    try {
      const { notices } = await api.vault()
      if (notices.length > 0) this.problem = { kind: 'notice', what: notices.join(' '), safe: '', do: '' }
    } catch {
      // The records can't be opened: the set-up says why.
    }
  }

  async savePrefs(change: Partial<Preferences>): Promise<void> {
    if (!this.prefs) return
    const before = this.prefs
    this.prefs = { ...before, ...change }
    try {
      await api.setPreferences(this.prefs)
    } catch (e) {
      this.prefs = before
      this.fail(e)
    }
  }
}

export const world = new World()
