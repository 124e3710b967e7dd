import { mount } from 'svelte'
import App from './App.svelte'
import { watch } from './lib/seen'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/parts.css'

watch()

const target = document.getElementById('app')
if (target) mount(App, { target })
