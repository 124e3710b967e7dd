// The route, and what is chosen on it.
import { mark, refind, settle } from './focus'
import { format, parse, type Route } from './route'
import type { Claim, Place } from './types'

/** What the inspector shows: a claim with one of its quotes, or a place alone. */
export interface Chosen {
  claim: string // id, "" for a place alone
  place: Place | null
}

class Nav {
  route = $state.raw<Route>({ name: 'home' })
  chosen = $state.raw<Chosen | null>(null)

  // Where one was before a form or the settings, and what had the focus there.
  #before = { hash: '', focus: '' }
  #opener = ''

  start(): () => void {
    let hash = location.hash
    const follow = (): void => {
      const next = parse(location.hash)
      if (aside(next) && !aside(this.route)) this.#before = { hash, focus: mark(document.activeElement) }
      if (!keeps(next, this.route)) this.chosen = null
      this.route = next
      hash = location.hash
    }
    follow()
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }

  go(r: Route): void {
    const hash = format(r)
    if (location.hash === hash) return
    location.hash = hash
  }

  /** Leaves a form or the settings for where one was; false on any other place. */
  back(): boolean {
    if (!aside(this.route)) return false
    const { hash, focus } = this.#before
    addEventListener('hashchange', () => void refind(focus), { once: true })
    location.hash = hash || '#/'
    return true
  }

  choose(claim: Claim): void {
    this.#open({ claim: claim.id, place: claim.quotes[0]?.place ?? null })
  }

  show(place: Place): void {
    this.#open({ claim: '', place })
  }

  #open(chosen: Chosen): void {
    if (this.chosen === null) this.#opener = mark(document.activeElement)
    this.chosen = chosen
  }

  /** Closes the evidence; what was chosen has the focus again. */
  unchoose(): void {
    if (this.chosen === null) return
    const { claim, place } = this.chosen
    this.chosen = null
    const row = claim !== '' ? `[data-claim="${claim}"]` : place ? candidateMark(place) : ''
    void settle(row, this.#opener)
  }
}

/** The mark of a candidate's row. */
export const candidate = (p: Place): string => `${p.source} ${p.from}`
const candidateMark = (p: Place): string => `[data-candidate=${JSON.stringify(candidate(p))}]`

/** A page beside the tasks, which Escape leaves. */
const aside = (r: Route): boolean =>
  r.name === 'new' || r.name === 'settings' || r.name === 'import' || r.name === 'handover'

/** Evidence stays open only between the places that are read beside it. */
function keeps(next: Route, before: Route): boolean {
  if (next.name !== 'task' || before.name !== 'task') return false
  const beside = next.place === before.place || next.place === 'checkpoint' || next.place === 'report'
  return beside && next.id === before.id && next.at === before.at
}

export const nav = new Nav()
