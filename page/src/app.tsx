// The frame of every screen, and which address is which screen. Screens other than home come when they are asked for.
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LiveRegions } from './lib/announce';
import { ApiError, health, newVersion } from './lib/api';
import { guest } from './lib/guest';
import { useKeys } from './lib/hooks';
import { go, usePath } from './lib/router';
import { isDark, toggleTheme } from './lib/settings';
import { useSignal } from './lib/signal';
import { allTexts, t } from './lib/text';
import { Avatar } from './pieces/avatar';
import { Icon, type IconName } from './pieces/icons';
import { Mark } from './pieces/mark';
import { Home } from './screens/home';
import type { SettingsProps } from './screens/settings';
import { Failure, Notice } from './ui/kit';

type Params = Record<string, string>;
type Screen = ComponentType<Params>;
interface Route { path: RegExp; names: string[]; part: string; table?: boolean; load: () => Promise<Screen> | Screen }

const people = () => import('./screens/people');
const table = () => import('./screens/table');
const routes: Route[] = [
  { path: /^\/$/, names: [], part: 'watch', load: () => Home as Screen },
  { path: /^\/watch\/tetris\/([^/]+)$/, names: ['name'], part: 'watch', table: true, load: async () => (await import('./screens/tetris')).WatchTetris as unknown as Screen },
  { path: /^\/watch\/([^/]+)$/, names: ['live'], part: 'watch', table: true, load: async () => (await table()).Watch as unknown as Screen },
  { path: /^\/replay\/([^/]+)$/, names: ['id'], part: 'watch', table: true, load: async () => (await table()).Replay as unknown as Screen },
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

export const NAV: [string, string, string][] = [['watch', '/', 'nav.watch'], ['play', '/play', 'nav.play'], ['board', '/leaderboard', 'nav.leaderboard'], ['tours', '/tournaments', 'nav.tournaments'], ['connect', '/connect', 'nav.connect']];
const BAR: [string, string, string, IconName][] = [['watch', '/', 'nav.watch', 'eye'], ['play', '/play', 'nav.play', 'play'], ['board', '/leaderboard', 'nav.ranking', 'trophy']];

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

// As it stands if it is cut off in the middle of a letter: then nothing has that name.
const decoded = (part: string): string => { try { return decodeURIComponent(part); } catch { return part; } };

const Lost = () => <Failure error={new ApiError(t('error.unreachable'), 0)} retry={() => location.reload()} />;
const Missing = () => <Failure error={new ApiError(t('error.no_page'), 404)} />;

export function App() {
  const path = usePath(), [loaded, set] = useState<{ route?: Route; View: Screen }>({ route: path === '/' ? routes[0] : undefined, View: path === '/' ? (Home as Screen) : (() => null) }), [menu, open] = useState(false), [Settings, offer] = useState<ComponentType<SettingsProps>>(), [, speak] = useState(0);
  const fresh = useSignal(newVersion), main = useRef<HTMLElement>(null), first = useRef(true), prefix = useRef('');
  const route = routes.find((r) => r.path.test(path)), found = route?.path.exec(path);
  const params: Params = {};
  route?.names.forEach((name, i) => { if (found?.[i + 1]) params[name] = decoded(found[i + 1]); });
  useEffect(() => {
    let gone = false;
    if (route) void Promise.all([route.load(), route.path.test('/') ? undefined : allTexts()]).then(([View]) => { if (!gone) set({ route, View }); })
      .catch(() => health().then(() => newVersion.set(true), () => { if (!gone) set({ route, View: Lost }); })); // an asset of an old build, or no server
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    return () => { gone = true; };
  }, [route, path]);
  useEffect(() => { if (menu && !Settings) void Promise.all([import('./screens/settings'), allTexts()]).then(([m]) => offer(() => m.Settings)); }, [menu]);
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
    {Settings && <Settings open={menu} onClose={() => open(false)} onLanguage={() => speak((n) => n + 1)} />}
    <LiveRegions />
  </>;
}
