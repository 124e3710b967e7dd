// What stands in the new-task form. It outlives the form, so that leaving it by
// mistake, or to look something up, loses nothing; it does not outlive the window.
import type { NewTask } from './types'

class Draft {
  goal = $state('')
  title = $state('')
  questions = $state([''])
  constraints = $state('')
  folder = $state('')
  depth = $state('thorough')
  hours = $state('')
  model = $state('')

  readonly form = $derived<NewTask>({
    title: this.title.trim(),
    goal: this.goal.trim(),
    questions: this.questions.map((q) => q.trim()).filter(Boolean),
    constraints: this.constraints
      .split('\n')
      .map((c) => c.trim())
      .filter(Boolean),
    folder: this.folder.trim(),
    model: this.model,
    depth: this.depth,
    budget: Math.round((Number(this.hours.replace(',', '.')) || 0) * 3600),
    start: true,
  })

  /** Whether a person wrote anything that would be missed. */
  get written(): boolean {
    return [this.goal, this.title, this.constraints, this.folder, this.hours, ...this.questions].some(
      (t) => t.trim() !== '',
    )
  }

  clear(): void {
    this.goal = this.title = this.constraints = this.folder = this.hours = this.model = ''
    this.questions = ['']
    this.depth = 'thorough'
  }
}

export const draft = new Draft()
