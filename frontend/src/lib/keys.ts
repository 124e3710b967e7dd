/** Whether a key press belongs to a field or a dialog, not to the window's keys. */
export function typing(e: KeyboardEvent): boolean {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return true
  return inField(e.target)
}

export const inDialog = (t: EventTarget | null): boolean =>
  t instanceof HTMLElement && t.closest('dialog[open]') !== null

export function inField(t: EventTarget | null): boolean {
  if (!(t instanceof HTMLElement)) return false
  if (t.isContentEditable || inDialog(t)) return true
  if (t instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(t.type)
  return t instanceof HTMLTextAreaElement || t instanceof HTMLSelectElement
}

/** Moves among the claims and candidates on the page; true when there was one to move to. */
export function moveClaim(step: 1 | -1): boolean {
  const all = [...document.querySelectorAll<HTMLElement>('[data-claim], [data-candidate]')]
  if (all.length === 0) return false
  const focused = all.indexOf(document.activeElement as HTMLElement)
  const at = focused >= 0 ? focused : all.findIndex((el) => el.getAttribute('aria-pressed') === 'true')
  const next =
    all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))]
  next?.focus()
  next?.click()
  return true
}
