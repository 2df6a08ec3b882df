import type { ComponentType } from 'preact';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { GAMES, gameOf, SEATS, title, type GameEvent, type Seat } from '../games';
import { GameIcon } from '../games/pictures';
import { health, type Health } from '../lib/api';
import { drawSoon, Feed } from '../lib/feed';
import { useApi, useTitle, useVisible } from '../lib/hooks';
import { useSpectator } from '../lib/spectate';
import { fieldOf, useTetrisBoard } from '../lib/tetris';
import { allTexts, nf, percent, t } from '../lib/text';
import { Icon } from '../pieces/icons';
import { FieldCanvas, Tetro } from '../pieces/tetris';
import { Board } from '../ui/board';
import { AgentLink, Empty, Panel } from '../ui/kit';

interface Live { id: string; game: string; players: unknown[]; spectators: number }
interface TetrisTable { table: string; controller: boolean; spectators: number }
export interface Finished { id: string; game: string; players: { player_id: string; agent_id: string; agent_name: string; result: string; rating_before?: number; rating_after?: number }[]; result: { payoffs: Record<string, number>; winner?: string }; rated: boolean; started_at: string; finished_at: string; duration_ms: number; largest_swing: number; replay_url: string | null }

const Foot = ({ game, line, seen, tag }: { game: string; line: string; seen?: number; tag?: string }) =>
  <div class="ft"><GameIcon game={game} /><div class="grow"><b>{title(game)}</b><div class="sm dim clip">{line}</div></div>{tag ? <span class="tag">{tag}</span> : <span class="sm dim num row seen"><Icon name="eye" />{nf(seen ?? 0)}</span>}</div>;

const Blank = ({ game }: { game: string }) => <div class="bd" aria-hidden="true"><div class={`stage mini g-${game}`} /></div>;

// A finished match, played again and again; at first from where something lies on the table.
function useReplay(match?: Finished): Feed | undefined {
  const [, redraw] = useReducer((n: number) => n + 1, 0), [feed, setFeed] = useState<Feed>();
  const whole = useApi<{ frames: { type: string; player_id?: string; data: unknown; seq: number }[]; config: unknown }>(match ? `/api/replays/${match.id}/whole` : null).data;
  useEffect(() => {
    if (!whole || !match) return undefined;
    const seats: Seat[] = match.players.map((p) => ({ pid: p.player_id, name: p.agent_name, agent: p.agent_id }));
    const events: GameEvent[] = whole.frames.map((f) => ({ type: f.type, player: f.player_id, data: f.data, seq: f.seq }));
    let at = 0, mine: Feed;
    const game = gameOf(match.game), begin = (from = 0) => { at = from; mine = new Feed({ game: match.game, seats, state: events.slice(0, from).reduce(game.apply, game.start(seats.length, whole.config)), quiet: true, onChange: () => drawSoon(() => redraw(0)) }); setFeed(mine); };
    begin(Math.floor(events.length / 3));
    const timer = setInterval(() => { if (at >= events.length) begin(); else mine.push([events[at++]]); }, 1200);
    return () => { clearInterval(timer); mine.stop(); };
  }, [whole]);
  return match && feed;
}

// A place of the grid: what is played now, else the last finished match. It stays the same link whatever it shows, so that
// no click is lost.
function Tile({ game, live, past, known }: { game: string; live?: Live; past?: Finished; known?: boolean }) {
  const [ref, visible] = useVisible<HTMLAnchorElement>(), w = useSpectator(visible && live ? live.id : null, { mini: true }), again = useReplay(visible && !live ? past : undefined), table = (live ? w.feed : again)?.table;
  return <a class="tile" href={live ? `/watch/${live.id}` : past?.replay_url ?? `/play/${game}`} ref={ref}>{table ? <Board table={table} mini /> : <Blank game={game} />}
    <Foot game={game} line={table ? gameOf(game).where(live ? { ...table.state, turns: 0 } : table.state) : known && !live && !past ? t('home.quiet') : ''} seen={live?.spectators} tag={live ? undefined : past ? t('home.replay') : known ? t('tetris.free') : ' '} /></a>;
}

function TetrisTile({ name, seen }: { name: string; seen?: number }) {
  const [ref, visible] = useVisible<HTMLAnchorElement>(), o = useTetrisBoard(visible && seen !== undefined ? name : null, true).observation;
  return <a class="tile" href={`/watch/tetris/${name}`} ref={ref}>{o ? <div class="bd" aria-hidden="true"><div class="stage g-tetris mini mtet"><FieldCanvas field={fieldOf(o)} />
    <div class="mst"><div>{o.next_queue.slice(0, 3).map((k, i) => <Tetro key={i} kind={k} />)}</div><dl><dt>{t('tetris.score')}</dt><dd>{nf(o.score)}</dd><dt>{t('tetris.lines')}</dt><dd>{nf(o.lines)}</dd></dl></div></div></div> : <Blank game="tetris" />}
    <Foot game="tetris" line={o ? (o.controller_id ? t('tetris.where', { lines: o.lines, level: o.level }) : t('tetris.idle')) : ''} tag={o && !o.controller_id ? t('tetris.free') : undefined} seen={seen} /></a>;
}

function Ranking() {
  const { data } = useApi<{ leaderboard: any[] }>('/api/leaderboard?limit=6', 15000);
  return <Panel cls="ranking" title={t('nav.leaderboard')} extra={<a class="link sm" href="/leaderboard">{t('all')}</a>}>
    {data && !data.leaderboard.length && <Empty text={t('board.none')} />}
    {data && data.leaderboard.length > 0 && <table class="lb"><thead class="sr"><tr><th scope="col">{t('board.rank')}</th><th scope="col">{t('board.agent')}</th><th scope="col">{t('board.rating')}</th></tr></thead><tbody>{data.leaderboard.map((a) => <tr key={a.agent_id}><td class="num dim">{a.rank ?? '–'}</td><td><AgentLink id={a.agent_id} name={a.agent_name} /></td><td class="n"><b>{nf(Math.round(a.aggregate_rating))}</b></td></tr>)}</tbody></table>}
  </Panel>;
}

function LastTournament() {
  const list = useApi<{ tournaments: any[] }>('/api/tournaments?limit=1', 15000).data?.tournaments, last = list?.[0];
  const { data } = useApi<{ tournament: any; standings: any[] }>(last ? `/api/tournaments/${last.id}` : null);
  if (!last) return null;
  return <Panel title={t('tour.one')} extra={<span class={`tag ${last.status === 'running' ? 'live' : 'ok'}`}>{t(`tour.is.${last.status}`)}</span>}>
    <p class="sm"><a class="link" href={`/tournament/${last.id}`}><bdi>{last.title || t('tour.title', { game: title(last.game), format: t(`tour.is.${last.format}`) })}</bdi></a> {last.games_total > 0 && <span class="dim">· {t('tour.games', { n: last.games_total })}</span>}</p>
    <table><tbody>{data?.standings.slice(0, 4).map((s) => <tr key={s.entrant}><td class="num dim">{s.rank}</td><td><bdi>{s.entrant}</bdi></td><td class="n"><b>{percent(s.score, 1)}</b></td></tr>)}</tbody></table></Panel>;
}

// What was worth a look: one of each game.
function Recent() {
  const matches = useApi<{ matches: Finished[] }>('/api/matches?sort=interest&limit=24', 60000).data?.matches.filter((m) => m.replay_url);
  if (!matches?.length) return <Panel title={t('home.worth')} cls="worth">{matches && <Empty text={t('home.no_replay')} />}</Panel>;
  const seen = new Set<string>(), picked = matches.filter((m) => !seen.has(m.game) && seen.add(m.game)).slice(0, 4);
  return <Panel title={t('home.worth')} cls="worth"><div class="rec">{picked.map((m) => {
    const winner = m.players.find((p) => p.result === 'win');
    return <a key={m.id} href={m.replay_url!}><GameIcon game={m.game} /><span class="grow clip">{winner ? t('home.won', { name: winner.agent_name }) : t('match.draw')}<br /><span class="dim sm">{title(m.game)} · {m.largest_swing > .2 ? t('home.swing', { p: percent(m.largest_swing) }) : t('home.players', { n: m.players.length })}</span></span><Icon name="play" /></a>;
  })}</div></Panel>;
}

// Below the fold: it comes after everything else, into a place of its size.
function LaterConnect() {
  const [View, set] = useState<ComponentType>();
  useEffect(() => { const timer = setTimeout(() => void Promise.all([import('../ui/connect'), allTexts()]).then(([m]) => set(() => m.Connect as ComponentType)), 300); return () => clearTimeout(timer); }, []);
  return <div class="later">{View && <View />}</div>;
}

export function Home() {
  useTitle(t('home.doc'));
  const [state, setState] = useState<Health>();
  useEffect(() => { const ask = () => { if (!document.hidden) health().then(setState, () => undefined); }; ask(); const timer = setInterval(ask, 10000); return () => clearInterval(timer); }, []);
  const { data: now, error } = useApi<{ matches: Live[]; tables?: TetrisTable[] }>('/api/matches/live?sort=interest', 5000), live = now?.matches;
  const fields = now?.tables?.filter((x) => x.table !== 'main' && x.controller).slice(0, 3) ?? [];
  const past = useApi<{ matches: Finished[] }>('/api/matches?limit=30', 20000).data?.matches;
  // A place for every game, in the same order always, so that nothing moves when the answers come; more tables come last.
  const boards = GAMES.filter((g) => SEATS[g]), first = new Map(boards.map((g) => [g, live?.find((m) => m.game === g)]));
  const others = (live ?? []).filter((m) => first.get(m.game) !== m).slice(0, 6);
  const tile = (game: string) => <Tile key={game} game={game} live={first.get(game)} past={live && past?.find((m) => m.game === game && m.replay_url)} known={Boolean(live && past)} />;
  return <>
    <div class="cols"><div>
      <div class="hero"><div class="grow"><h1>{!live || live.length ? t('home.title') : t('home.title_quiet')}</h1><p class="dim home-sub">{error?.message ?? (state ? t('home.sub', { tables: state.matches_active, agents: state.agents_online }) : ' ')}{!error && state && state.status !== 'ok' && <b> · {t(`health.${state.status}`)}</b>}</p></div></div>
      <div class="tables">
        {boards.slice(0, 2).map(tile)}
        <TetrisTile name="main" seen={now?.tables?.find((x) => x.table === 'main')?.spectators} />
        {boards.slice(2).map(tile)}
        <div class="tile seats"><h2>{t('home.seat')}</h2><p class="sm dim">{live?.length ? t('home.seat_sub') : t('home.empty')}</p><div class="take">{GAMES.map((g) => <a key={g} href={`/play/${g}`}><GameIcon game={g} /><span>{title(g)}</span></a>)}</div></div>
        {others.map((m) => <Tile key={m.id} game={m.game} live={m} />)}{fields.map((x) => <TetrisTile key={x.table} name={x.table} seen={x.spectators} />)}
      </div></div>
      <aside class="stackv" aria-label={t('home.aside')}><Ranking /><Recent /><LastTournament /></aside></div>
    <LaterConnect />
  </>;
}
