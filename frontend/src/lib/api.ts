// The only file that talks to Go. Every call answers with values of types.ts or
// rejects with a Trouble, so that nobody else has to know how errors travel.
import * as app from '../../wailsjs/go/window/App'
import { EventsOn } from '../../wailsjs/runtime/runtime'
import { Trouble, problemOf } from './trouble'
import type {
  Check,
  Entry,
  Event,
  FormCheck,
  NewTask,
  Note,
  Preferences,
  Preview,
  Question,
  Removal,
  Setup,
  Source,
  SourceText,
  TaskSummary,
  VaultBackup,
  VaultCheck,
  VaultCompact,
  VaultState,
  Verification,
  View,
} from './types'

/** What the page saw of itself when its first view stood. */
export interface Seen {
  title: string
  tasks: number
  violations: string[]
  errors: string[]
}

async function call<T>(fn: () => Promise<unknown>): Promise<T> {
  try {
    return (await fn()) as T
  } catch (e) {
    throw new Trouble(problemOf(e))
  }
}

export const api = {
  tasks: () => call<TaskSummary[]>(() => app.Tasks()),
  /** at: ledger seq of an earlier checkpoint, 0 = newest. */
  view: (task: string, at: number) => call<View>(() => app.View(task, at)),
  sources: (task: string) => call<Source[]>(() => app.Sources(task)),
  sourceText: (task: string, source: string, from: number, to: number) =>
    call<SourceText>(() => app.SourceText(task, source, from, to)),
  /** full: calls and refusals too. */
  timeline: (task: string, full: boolean) => call<Entry[]>(() => app.Timeline(task, full)),
  candidates: (task: string) => call<Question[]>(() => app.Candidates(task)),

  checkForm: (form: NewTask) => call<FormCheck>(() => app.CheckForm(form)),
  create: (form: NewTask) => call<string>(() => app.Create(form)),
  run: (task: string) => call<void>(() => app.Run(task)),
  stop: (task: string) => call<void>(() => app.Stop(task)),
  remove: (task: string) => call<string>(() => app.Delete(task)),
  /** What deleting would take; source '' is the whole task. Changes nothing. */
  planErase: (task: string, source: string) => call<Removal>(() => app.PlanErase(task, source)),

  ask: (task: string, text: string) => call<string>(() => app.Ask(task, text)),
  dropQuestion: (task: string, question: string, reason: string) =>
    call<void>(() => app.DropQuestion(task, question, reason)),
  reopenQuestion: (task: string, question: string) => call<void>(() => app.ReopenQuestion(task, question)),
  acceptCandidate: (task: string, question: string, source: string, from: number, to: number) =>
    call<string>(() => app.AcceptCandidate(task, question, source, from, to)),
  accept: (task: string, claim: string) => call<void>(() => app.Accept(task, claim)),
  /** verdict: right, wrong, says_more, unsure. */
  judge: (task: string, claim: string, verdict: string, reason: string) =>
    call<void>(() => app.Judge(task, claim, verdict, reason)),
  retract: (task: string, claim: string, reason: string) =>
    call<void>(() => app.Retract(task, claim, reason)),
  edit: (task: string, claim: string, text: string) => call<string>(() => app.Edit(task, claim, text)),
  addNote: (task: string, note: Note) => call<string>(() => app.AddNote(task, note)),
  setAside: (task: string, source: string, reason: string) =>
    call<void>(() => app.SetAside(task, source, reason)),
  takeBack: (task: string, source: string) => call<void>(() => app.TakeBack(task, source)),
  undo: (task: string) => call<string>(() => app.Undo(task)),

  export: (task: string, path: string, withhold: boolean) =>
    call<Verification>(() => app.Export(task, path, withhold)),
  renderExport: (task: string, withhold: boolean) => call<string>(() => app.RenderExport(task, withhold)),
  previewImport: (path: string) => call<Preview>(() => app.PreviewImport(path)),
  acceptImport: (token: string, folder: string) => call<string>(() => app.AcceptImport(token, folder)),

  setup: () => call<Setup>(() => app.Setup()),
  preferences: () => call<Preferences>(() => app.Preferences()),
  setPreferences: (p: Preferences) => call<void>(() => app.SetPreferences(p)),
  setModel: (task: string, model: string) => call<void>(() => app.SetModel(task, model)),
  doctor: () => call<Check[]>(() => app.Doctor()),

  vault: () => call<VaultState>(() => app.Vault()),
  // These take as long as the records are large; events of the kind "vault" tell how far they are.
  vaultCheck: () => call<VaultCheck>(() => app.VaultCheck()),
  vaultCompact: () => call<VaultCompact>(() => app.VaultCompact()),
  vaultBackup: () => call<VaultBackup>(() => app.VaultBackup()),

  // Native dialogs; "" when closed without a choice.
  chooseFolder: () => call<string>(() => app.ChooseFolder()),
  chooseSave: (name: string) => call<string>(() => app.ChooseSave(name)),
  chooseOpen: () => call<string>(() => app.ChooseOpen()),
  revealFile: (path: string) => call<void>(() => app.RevealFile(path)),

  /** Call once the listener stands and a first view is shown; gives the events that came earlier. */
  windowReady: (seen: Seen) => call<Event[]>(() => app.WindowReady(seen)),
  /** Calls fn for each event; the answer ends that. */
  onEvent: (fn: (e: Event) => void): (() => void) => EventsOn('cairn', fn),
}

export type Api = typeof api
