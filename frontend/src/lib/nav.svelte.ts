// The route, and what is chosen on it.
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

  start(): () => void {
    const follow = (): void => {
      const next = parse(location.hash)
      if (!keeps(next, this.route)) this.chosen = null
      this.route = next
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

  choose(claim: Claim): void {
    this.chosen = { claim: claim.id, place: claim.quotes[0]?.place ?? null }
  }

  show(place: Place): void {
    this.chosen = { claim: '', place }
  }

  unchoose(): void {
    this.chosen = null
  }
}

/** Evidence stays open only between the places that are read beside it. */
function keeps(next: Route, before: Route): boolean {
  if (next.name !== 'task' || before.name !== 'task') return false
  const beside = next.place === before.place || next.place === 'checkpoint' || next.place === 'report'
  return beside && next.id === before.id && next.at === before.at
}

export const nav = new Nav()
