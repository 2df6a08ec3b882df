import { render } from 'preact';
import { App } from './app';
import { applySettings, cookie } from './lib/settings';
import { catchLinks } from './lib/router';
import { setLanguage } from './lib/text';

applySettings();
catchLinks();
const wanted = cookie('lang') || (navigator.language.startsWith('fr') ? 'fr' : 'en');
const begin = () => render(<App />, document.getElementById('app')!);
if (wanted === 'fr') void setLanguage('fr').then(begin);
else begin();
