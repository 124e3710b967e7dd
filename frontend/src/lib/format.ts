// How numbers, times and sizes read. Nothing here knows the time zone but the
// system's own.

const two = (n: number): string => String(n).padStart(2, '0')

/** 14:03 or, with seconds, 14:03:22. */
export function clock(ms: number, seconds = false): string {
  const d = new Date(ms)
  return `${two(d.getHours())}:${two(d.getMinutes())}${seconds ? `:${two(d.getSeconds())}` : ''}`
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = 'January February March April May June July August September October November December'.split(
  ' ',
)

const dayStart = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0)

/** Today, Yesterday, a weekday of the last six days, else 3 May 2026. */
export function day(ms: number, now: number): string {
  const ago = Math.round((dayStart(now) - dayStart(ms)) / 86_400_000)
  const d = new Date(ms)
  if (ago === 0) return 'Today'
  if (ago === 1) return 'Yesterday'
  if (ago > 1 && ago < 7) return days[d.getDay()] ?? ''
  return `${d.getDate()} ${months[d.getMonth()]} ${d.getFullYear()}`
}

/** When something was saved: "14:03:22" today, else with its day. */
export function savedAt(ms: number, now: number): string {
  const d = day(ms, now)
  return d === 'Today' ? clock(ms, true) : `${d === 'Yesterday' ? 'yesterday' : d} ${clock(ms)}`
}

/** 0.2 s, 12 s, 1 min 12 s, 3 h 5 min. */
export function took(ms: number): string {
  if (ms < 50) return ''
  const s = ms / 1000
  if (s < 9.95) return `${s.toFixed(1)} s`
  const whole = Math.round(s)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return whole % 60 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${whole / 60} min`
  const min = Math.round(whole / 60)
  return min % 60 ? `${Math.floor(min / 60)} h ${min % 60} min` : `${min / 60} h`
}

/** How long something is expected to take: coarser than took, "" when not known. */
export function about(seconds: number): string {
  if (seconds < 0) return ''
  if (seconds < 50) return `${Math.max(5, Math.ceil(seconds / 5) * 5)} s`
  if (seconds < 5400) return `${Math.max(1, Math.round(seconds / 60))} min`
  const h = seconds / 3600
  return h < 10 ? `${(Math.round(h * 2) / 2).toString()} h` : `${Math.round(h)} h`
}

/** 98 MB, 1.2 GB, 3 KB: decimal, as downloads are named. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`
  if (n < 999_500) return `${Math.round(n / 1000)} KB`
  if (n < 999_500_000) return `${n < 9_950_000 ? (n / 1e6).toFixed(1) : Math.round(n / 1e6)} MB`
  return `${(n / 1e9).toFixed(1)} GB`
}

/** 1,785,855 */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** "1 claim", "3 claims"; the plural may be given. */
export function some(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`
}

/** A rate in tokens a second: 41, 6.2. */
export function rate(perSecond: number): string {
  return perSecond >= 10 ? String(Math.round(perSecond)) : perSecond.toFixed(1)
}

/** A share of a whole in 0–100, whole numbers, 100 only when complete. */
export function percent(done: number, total: number): number {
  if (total <= 0) return 0
  return done >= total ? 100 : Math.min(99, Math.floor((done / total) * 100))
}

/** A short name for a document: its title, else the file name without its kind. */
export function shortName(title: string, name: string): string {
  const t = title.trim()
  return t !== '' ? t : name.replace(/\.[a-z0-9]{1,5}$/i, '')
}

/** “Results”, sentence 9 or sentences 9 to 11, page 3. */
export function where(p: { heading: string; from: number; to: number; page: number }): string {
  const parts: string[] = []
  if (p.heading !== '') parts.push(`“${p.heading}”`)
  parts.push(p.to > p.from ? `sentences ${p.from} to ${p.to}` : `sentence ${p.from}`)
  if (p.page > 0) parts.push(`page ${p.page}`)
  return parts.join(', ')
}

/** A file name for a hand-off, made of the task's title. */
export function fileName(title: string): string {
  const base = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '')
  return `${base || 'task'}.cairn.md`
}
