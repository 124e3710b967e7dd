import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'
import svelteConfig from './svelte.config.js'

export default ts.config(
  { ignores: ['dist/', 'wailsjs/', 'node_modules/'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      'no-undef': 'off',
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**/wailsjs/**'], message: 'Only src/lib/api.ts talks to Go.' }] },
      ],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Content is shown as text nodes.' },
        { property: 'outerHTML', message: 'Content is shown as text nodes.' },
        { property: 'insertAdjacentHTML', message: 'Content is shown as text nodes.' },
      ],
      'svelte/no-at-html-tags': 'error',
      // A style attribute in the markup is blocked by the page's policy; a style:
      // directive goes through the object model and is not.
      'no-restricted-syntax': [
        'error',
        { selector: "SvelteAttribute[key.name='style']", message: 'Use a class or a style: directive.' },
      ],
      'svelte/no-useless-mustaches': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  { files: ['src/lib/api.ts'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['dev/*.mjs', 'e2e/**', '*.config.*'], languageOptions: { globals: { ...globals.node } } },
)
