// The exported file (`agon replay html`): the page's own replay screen with one match, the rules of its game and no server.
// Nothing is requested.
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { applySettings, isDark, toggleTheme } from '../lib/settings';
import { allTexts, setLanguage, t } from '../lib/text';
import { Icon } from '../pieces/icons';
import { Mark } from '../pieces/mark';
import { RulesError } from '../rules';
import { Replay } from '../screens/replay';
import '../styles/index.css';
import { openFile } from './local';

function File() {
  const [, redraw] = useState(0);
  return <>
    <header class="top"><span class="brand"><Mark />agon</span><div class="end"><button type="button" class="btn bare" aria-label={t(isDark() ? 'theme.light' : 'theme.dark')} onClick={() => { toggleTheme(); redraw((n) => n + 1); }}><Icon name="sun" /></button></div></header>
    <main class="page" id="main"><Replay id="local" /><p class="xs dim">{t('keys.replay')}</p></main></>;
}

async function begin(): Promise<void> {
  const app = document.getElementById('app')!;
  try {
    await openFile();
    await (navigator.language.startsWith('fr') ? setLanguage('fr') : allTexts());
    applySettings();
    app.replaceChildren();
    render(<File />, app);
  } catch (error) {
    const state = document.getElementById('state')!;
    state.className = 'bad';
    state.textContent = `This replay is refused: ${error instanceof RulesError ? error.message : String(error)}.`;
  }
}

void begin();
