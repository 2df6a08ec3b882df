import { useEffect, useState } from 'preact/hooks';
import { GAMES, SEATS, SHORT, title } from '../games';
import { GameIcon } from '../games/pictures';
import { ApiError, call } from '../lib/api';
import { needGuest } from '../lib/guest';
import { useApi, useTitle } from '../lib/hooks';
import { keepPage } from '../lib/offline';
import { go } from '../lib/router';
import { has, t } from '../lib/text';
import { Failure, Head, Notice, Panel, Segments } from '../ui/kit';
import { RulesButton } from './rules';
import '../styles/choose.css';

type Against = 'house' | 'queue' | 'link' | 'offline';

export function Choose({ game }: { game?: string }) {
  const list = useApi<{ games: { name: string; min_players: number; max_players: number }[] }>('/api/games'), offered = list.data?.games, away = list.error?.status === 0;
  const known = SEATS[game ?? ''], fixed = known && known[0] === known[1] && known[0], row = offered?.find((g) => g.name === game) ?? (known && { min_players: known[0], max_players: known[1] });
  const [picked, setAgainst] = useState<Against>('house'), against = away ? 'offline' : picked, [level, setLevel] = useState('3'), [seats, setSeats] = useState(4), [time, setTime] = useState('300'), [hints, setHints] = useState('on'), [short, shorten] = useState<'whole' | 'short'>('whole');
  const [busy, work] = useState(false), [error, fail] = useState<ApiError>(), [local, bring] = useState<typeof import('../local')>();
  useTitle(game ? t('choose.doc', { game: title(game) }) : t('choose.title'));
  const count = row ? Math.max(row.min_players, Math.min(row.max_players, fixed || seats)) : seats;
  const sit = async () => {
    work(true);
    fail(undefined);
    try {
      if (against === 'offline') {
        const local = await import('../local');
        local.keepSetup(local.newSetup(game!, count, Number(level), short === 'short'));
        go(`/play/${game}/offline`);
        return;
      }
      const me = await needGuest();
      if (against === 'queue') { go(`/play/${game}/queue-${count}`); return; } // it lasts as long as the socket
      const who = against === 'house' ? `house:${level}` : against;
      const made = await call<{ join_url?: string }>('/api/tables', { method: 'POST', key: me.key, body: { game, seats: count, opponents: Array(count - 1).fill(who), turn_timeout_ms: Number(time) * 1000, hints: hints === 'on' } });
      sessionStorage.invited = made.join_url ?? ''; // which the table shows while it waits
      go(`/play/${game}/invited`);
    } catch (e) { fail(e as ApiError); }
    work(false);
  };
  useEffect(keepPage, []);
  useEffect(() => document.querySelector('.picked [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }), [game, offered]); // on a phone they are a row
  useEffect(() => { if (game && against === 'offline') void import('../local').then(bring, () => undefined); }, [game, against]); // so that it plays with the server gone
  const offline: [Against, string] = ['offline', t('local.choice')];
  const choices: [Against, string][] = away ? [offline] : [['house', t('choose.house')], ['queue', t('choose.queue')], ['link', t('choose.link')], offline];
  const all = offered?.map((g) => g.name) ?? Object.keys(SEATS), games = [...GAMES.filter((g) => !SEATS[g] || all.includes(g)), ...all.filter((g) => !GAMES.includes(g))];
  if (game && offered && !row) return <Failure error={new ApiError(t('error.no_page'), 404)} />;
  return <>
    <Head title={game ? title(game) : t('choose.title')} game={game} sub={game ? t('choose.sub') : t('home.seat_sub')}>{game && <RulesButton game={game} />}</Head>
    <div class="choose"><nav class={`panel games ${game ? 'picked' : ''}`} aria-label={t('choose.games')}>{games.map((g) => <a key={g} href={`/play/${g}`} class={`gamecard g-${g}`} aria-current={g === game ? 'page' : undefined}><GameIcon game={g} /><span><b>{title(g)}</b><small>{has(`about.${g}`) ? t(`about.${g}`) : ''}</small></span></a>)}</nav>
      {game && <Panel title={t('choose.table')}>
        <div class="setting"><span>{t('choose.against')}</span><Segments items={choices} at={against} label={t('choose.against')} onPick={setAgainst} /></div>
        {(against === 'house' || against === 'offline') && <div class="setting"><span>{t('choose.level')}</span><Segments items={['1', '2', '3', '4', '5'].map((n) => [n, n] as [string, string])} at={level} label={t('choose.level')} onPick={setLevel} /></div>}
        {row && row.min_players < row.max_players && !fixed && <div class="setting"><span>{t('choose.seats')}</span><Segments items={Array.from({ length: Math.min(9, row.max_players) - row.min_players + 1 }, (_, i) => [String(row.min_players + i), String(row.min_players + i)] as [string, string])} at={String(count)} label={t('choose.seats')} onPick={(v) => setSeats(Number(v))} /></div>}
        {against === 'offline' && SHORT[game] && <div class="setting"><span>{t('choose.length')}</span><Segments items={[['whole', t('choose.whole')], ['short', t('choose.short')]]} at={short} label={t('choose.length')} onPick={shorten} /></div>}
        {against !== 'offline' && <><div class="setting"><span>{t('choose.time')}</span><Segments items={[['30', '0:30'], ['60', '1:00'], ['300', '5:00']]} at={time} label={t('choose.time')} onPick={setTime} /></div>
          <div class="setting"><span>{t('choose.hints')}</span><Segments items={[['on', t('on')], ['off', t('off')]]} at={hints} label={t('choose.hints')} onPick={setHints} /></div></>}
        {local && against === 'offline' && <local.Offline key={game} game={game} level={Number(level)} away={away} />}
        <p class="sm dim">{against === 'offline' ? away && t('local.away') : t(against === 'link' ? 'choose.link_note' : against === 'queue' ? 'choose.queue_note' : 'choose.note')}</p>
        {error && <Notice kind="bad">{error.message}</Notice>}
        <button type="button" class="btn pri big" disabled={busy} onClick={sit}>{t('home.seat')}</button>
      </Panel>}
      {!game && <Panel><p>{t('choose.pick')}</p><p class="sm dim">{t('choose.note')}</p></Panel>}
    </div>
  </>;
}
