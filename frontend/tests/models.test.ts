import { render, screen } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import ModelPick from '../src/parts/ModelPick.svelte'
import { world } from '../src/lib/world.svelte'
import { prefs, setup } from './backend'

// Whatever is set and whatever is here: one model is chosen, and seen to be.
describe.each([
  ['two models', setup.models],
  ['none', []],
])('with %s here', (_name, models) => {
  describe.each(['', '-', 'gemma3:4b', 'gone:7b'])('and “%s” in the settings', (standard) => {
    it.each([
      ['any', ''],
      ['any', '-'],
      ['any', standard],
      ['default', ''],
      ['default', '-'],
      ['default', 'gone:1b'],
      ['', '-'],
      ['', 'gemma3:4b'],
    ] as const)('(%s) “%s” has one chosen radio', (open, value) => {
      world.setup = { ...setup, models }
      world.prefs = { ...prefs, model: standard }
      render(ModelPick, { open, value })
      const on = screen.getAllByRole<HTMLInputElement>('radio').filter((r) => r.checked)
      expect(on.map((r) => r.value)).toHaveLength(1)
      if (value !== '') expect(on[0]?.value).toBe(value)
    })
  })
})
