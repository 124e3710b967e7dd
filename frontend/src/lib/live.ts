// Events in, snapshots when something was missed. Started once by App.svelte.
import { api } from './api'
import { nav } from './nav.svelte'
import type { Event } from './types'
import { work } from './work.svelte'
import { world } from './world.svelte'

let owedTasks = false

export function take(e: Event): void {
  if (e.kind === 'setup') {
    if (e.setup) {
      const before = world.setup
      world.setup = {
        ...e.setup,
        home: e.setup.home || before?.home || '',
        version: e.setup.version || before?.version || '',
      }
      if (e.setup.stage === 'error' && e.setup.error) world.problem = e.setup.error
    }
    return
  }
  if (e.kind === 'open_file') {
    world.opened = e.text ?? ''
    nav.go({ name: 'import' })
    return
  }
  if (e.kind === 'tasks' || e.kind === 'saved' || (e.kind === 'status' && changesList(e))) {
    if (document.hidden) owedTasks = true
    else tasksSoon()
  }
  work.take(e)
}

/** The left column changes when a task starts, stops or changes what it does. */
function changesList(e: Event): boolean {
  const t = world.tasks.find((x) => x.id === e.task)
  return t !== undefined && e.status !== undefined && t.state !== e.status.state
}

let timer: ReturnType<typeof setTimeout> | undefined

function tasksSoon(): void {
  if (timer !== undefined) return
  timer = setTimeout(() => {
    timer = undefined
    void world.loadTasks().then(leaveDeleted)
  }, 500)
}

/** A task that was deleted elsewhere leaves no page with buttons behind. */
function leaveDeleted(): void {
  const at = nav.route
  if (at.name !== 'task' && at.name !== 'handover') return
  if (world.problem || world.tasks.some((t) => t.id === at.id)) return
  nav.go({ name: 'home' })
  world.say('This task was deleted.')
}

/** Listens until the answer is called. */
export function live(): () => void {
  const off = api.onEvent(take)
  let last = 0
  const back = (): void => {
    if (document.hidden) return
    // Focus and visibility often come together; once is enough.
    const now = Date.now()
    if (now - last < 1000 && !work.owed && !owedTasks) return
    last = now
    owedTasks = false
    void world.loadTasks()
    void work.seen()
  }
  document.addEventListener('visibilitychange', back)
  addEventListener('focus', back)
  return () => {
    off()
    document.removeEventListener('visibilitychange', back)
    removeEventListener('focus', back)
  }
}
