// Where in the window one is, kept in the hash, so that back works and a reload
// stands where one was.
import { places, type PlaceName } from './words'

export type Route =
  | { name: 'home' }
  | { name: 'task'; id: string; place: PlaceName; at: number }
  | { name: 'handover'; id: string }
  | { name: 'new' }
  | { name: 'import' }
  | { name: 'settings' }

export function parse(hash: string): Route {
  const parts = hash
    .replace(/^#\/?/, '')
    .split('/')
    .map((p) => {
      try {
        return decodeURIComponent(p)
      } catch {
        return ''
      }
    })
  const [first = '', id = '', place = '', at = ''] = parts
  if (first === 'new' || first === 'import' || first === 'settings') return { name: first }
  if (first === 'handover' && id !== '') return { name: 'handover', id }
  if (first === 'task' && id !== '') {
    const known = places.find((p) => p.id === place)
    const seq = /^\d+$/.test(at) ? Number(at) : 0
    return { name: 'task', id, place: known?.id ?? 'checkpoint', at: seq }
  }
  return { name: 'home' }
}

export function format(r: Route): string {
  switch (r.name) {
    case 'home':
      return '#/'
    case 'task':
      return `#/task/${encodeURIComponent(r.id)}/${r.place}${r.at > 0 ? `/${r.at}` : ''}`
    case 'handover':
      return `#/handover/${encodeURIComponent(r.id)}`
    default:
      return `#/${r.name}`
  }
}

export const toTask = (id: string, place: PlaceName = 'checkpoint', at = 0): string =>
  format({ name: 'task', id, place, at })
