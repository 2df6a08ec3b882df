// The frame of every screen, and which address is which screen. Screens other than home come when they are asked for.
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LiveRegions } from './lib/announce';
import { newVersion } from './lib/api';
import { guest } from './lib/guest';
import { useKeys } from './lib/hooks';
import { go, usePath } from './lib/router';
import { choose, isDark, setCookie, settings, toggleTheme, type Choice } from './lib/settings';
import { useSignal } from './lib/signal';
import { lang, setLanguage, t } from './lib/text';
import { Avatar } from './pieces/avatar';
import { Icon, type IconName } from './pieces/icons';
import { Mark } from './pieces/mark';
import { Home } from './screens/home';
import { Drawer, Notice, Segments } from './ui/kit';

type Params = Record<string, string>;
type Screen = ComponentType<Params>;
interface Route { path: RegExp; names: string[]; part: string; table?: boolean; load: () => Promise<Screen> | Screen }

const people = () => import('./screens/people');
const table = () => import('./screens/table');
const routes: Route[] = [
  { path: /^\/$/, names: [], part: 'watch', load: () => Home as Screen },
  { path: /^\/watch\/tetris\/([^/]+)$/, names: ['name'], part: 'watch', table: true, load: async () => (await import('./screens/tetris')).WatchTetris as unknown as Screen },
  { path: /^\/watch\/([^/]+)$/, names: ['live'], part: 'watch', table: true, load: async () => (await table()).Watch as unknown as Screen },
  { path: /^\/replay\/([^/]+)$/, names: ['id'], part: 'watch', table: true, load: async () => (await import('./screens/replay')).Replay as unknown as Screen },
  { path: /^\/play\/tetris(?:\/([^/]+))?$/, names: ['name'], part: 'play', table: true, load: async () => (await import('./screens/tetris')).PlayTetris as unknown as Screen },
  { path: /^\/play(?:\/([^/]+))?$/, names: ['game'], part: 'play', load: async () => (await table()).Choose as unknown as Screen },
  { path: /^\/play\/([^/]+)\/([^/]+)$/, names: ['game', 'session'], part: 'play', table: true, load: async () => (await table()).Play as unknown as Screen },
  { path: /^\/challenge\/([^/]+)$/, names: ['token'], part: 'play', load: async () => (await table()).Challenge as unknown as Screen },
  { path: /^\/leaderboard(?:\/([^/]+))?$/, names: ['game'], part: 'board', load: async () => (await people()).Leaderboard as unknown as Screen },
  { path: /^\/agents\/([^/]+)$/, names: ['id'], part: 'board', load: async () => (await people()).Profile as unknown as Screen },
  { path: /^\/tournaments$/, names: [], part: 'tours', load: async () => (await people()).Tournaments as unknown as Screen },
  { path: /^\/tournament\/([^/]+)$/, names: ['id'], part: 'tours', load: async () => (await people()).Tournament as unknown as Screen },
  { path: /^\/claim\/([^/]+)$/, names: ['token'], part: 'connect', load: async () => (await people()).Claim as unknown as Screen },
  { path: /^\/connect$/, names: [], part: 'connect', load: async () => (await people()).ConnectScreen as unknown as Screen },
  { path: /^\/rules\/([^/]+)$/, names: ['game'], part: 'play', load: async () => (await import('./screens/rules')).RulesScreen as unknown as Screen },
  { path: /^\/operator$/, names: [], part: 'operator', load: async () => (await import('./screens/operator')).Operator as unknown as Screen },
];

const NAV: [string, string, string][] = [['watch', '/', 'nav.watch'], ['play', '/play', 'nav.play'], ['board', '/leaderboard', 'nav.leaderboard'], ['tours', '/tournaments', 'nav.tournaments'], ['connect', '/connect', 'nav.connect']];
const BAR: [string, string, string, IconName][] = [['watch', '/', 'nav.watch', 'eye'], ['play', '/play', 'nav.play', 'play'], ['board', '/leaderboard', 'nav.ranking', 'trophy']];

function Settings({ open, onClose, onLanguage }: { open: boolean; onClose: () => void; onLanguage: () => void }) {
  const s = useSignal(settings);
  const row = (name: Choice, items: [string, string][]) => <div class="setting"><span>{t(`set.${name}`)}</span><Segments items={items} at={s[name]} label={t(`set.${name}`)} onPick={(v) => choose(name, v)} /></div>;
  const onOff: [string, string][] = [['on', t('on')], ['off', t('off')]];
  return <Drawer title={t('set.title')} open={open} onClose={onClose}>
    <nav class="more phone-only" aria-label={t('nav.more')}>{NAV.slice(3).map(([id, href, name]) => <a key={id} class="btn" href={href} onClick={onClose}>{t(name)}</a>)}</nav>
    <div class="setting"><span>{t('set.language')}</span><Segments items={[['en', 'English'], ['fr', 'Français']]} at={lang()} label={t('set.language')} onPick={(v) => { setCookie('lang', v); void setLanguage(v).then(onLanguage); }} /></div>
    {row('suits', [['four', t('set.four')], ['two', t('set.two')]])}{row('letters', onOff)}{row('chances', onOff)}{row('keys', onOff)}
    <h3>{t('keys.title')}</h3>
    <dl class="keys">{['help', 'home', 'play', 'board', 'theme', 'watch', 'replay', 'holdem', 'coup', 'dice', 'belote', 'tetris'].map((k) => <div key={k}><dt>{t(`keys.${k}.name`)}</dt><dd>{t(`keys.${k}`)}</dd></div>)}</dl>
    <p class="sm dim">agon {document.body.dataset.version} · <a class="link" href="/operator" onClick={onClose}>{t('nav.operator')}</a> · <a class="link" href="/api/openapi.json">OpenAPI</a></p>
  </Drawer>;
}

function Header({ part, onMenu }: { part: string; onMenu: () => void }) {
  const me = useSignal(guest), [, redraw] = useState(0);
  return <header class="top">
    <a class="skip" href="#main">{t('nav.skip')}</a>
    <a class="brand" href="/"><Mark />agon</a>
    <nav aria-label={t('nav.main')}>{NAV.map(([id, href, name]) => <a key={id} href={href} aria-current={id === part ? 'page' : undefined}>{t(name)}</a>)}</nav>
    <div class="end"><button type="button" class="btn bare" aria-label={isDark() ? t('theme.light') : t('theme.dark')} onClick={() => { toggleTheme(); redraw((n) => n + 1); }}><Icon name="sun" /></button>
      <button type="button" class="btn bare wide-only" aria-label={t('set.title')} onClick={onMenu}><Icon name="gear" /></button>
      {me && <a class="row sm me-link" href={`/agents/${me.id}`} aria-label={me.name}><Avatar id={me.id} /><span class="wide-only clip"><bdi>{me.name}</bdi></span></a>}</div>
  </header>;
}

function Missing() {
  return <div class="panel empty"><h1>{t('error.missing')}</h1><p class="dim">{t('error.no_page')}</p><a class="btn pri" href="/">{t('nav.home')}</a></div>;
}

export function App() {
  const path = usePath(), [loaded, set] = useState<{ route?: Route; View: Screen }>({ route: path === '/' ? routes[0] : undefined, View: path === '/' ? (Home as Screen) : (() => null) }), [menu, open] = useState(false), [, speak] = useState(0);
  const fresh = useSignal(newVersion), main = useRef<HTMLElement>(null), first = useRef(true), prefix = useRef('');
  const route = routes.find((r) => r.path.test(path)), found = route?.path.exec(path);
  const params: Params = {};
  route?.names.forEach((name, i) => { if (found?.[i + 1]) params[name] = decodeURIComponent(found[i + 1]); });
  useEffect(() => {
    let gone = false;
    if (route) void Promise.resolve(route.load()).then((View) => { if (!gone) set({ route, View }); }).catch(() => { if (!gone) newVersion.set(true); }); // an asset of an old build
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    return () => { gone = true; };
  }, [route, path]);
  useKeys((e) => {
    const both = prefix.current + e.key;
    prefix.current = e.key === 'g' ? 'g' : '';
    const to = ({ gh: '/', gp: '/play', gl: '/leaderboard' } as Record<string, string>)[both];
    if (to) { go(to); return true; }
    if (e.key === '?') { open(true); return true; }
    if (e.key === 't') { toggleTheme(); speak((n) => n + 1); return true; }
    return false;
  });
  const View = !route ? Missing : loaded.route === route ? loaded.View : () => null, part = route?.part ?? '';
  return <>
    <Header part={part} onMenu={() => open(true)} />
    {fresh && <div class="page slim"><Notice kind="warn" action={<button type="button" class="btn" onClick={() => location.reload()}>{t('version.reload')}</button>}>{t('version.new')}</Notice></div>}
    <main class={`page ${route?.table ? '' : 'has-bar'}`} id="main" tabIndex={-1} ref={main}><View key={route?.table ? path : route?.part + Object.values(params).join()} {...params} /></main>
    {!route?.table && <nav class="bar" aria-label={t('nav.main')}>{BAR.map(([id, href, name, icon]) => <a key={id} href={href} aria-current={id === part ? 'page' : undefined}><Icon name={icon} />{t(name)}</a>)}<button type="button" onClick={() => open(true)}><Icon name="menu" />{t('nav.more')}</button></nav>}
    <Settings open={menu} onClose={() => open(false)} onLanguage={() => speak((n) => n + 1)} />
    <LiveRegions />
  </>;
}
