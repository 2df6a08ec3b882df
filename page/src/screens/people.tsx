import { useState } from 'preact/hooks';
import { SEATS, title } from '../games';
import { GameIcon } from '../games/pictures';
import { useApi, useTitle } from '../lib/hooks';
import { date, day, fixed, nf, percent, t } from '../lib/text';
import { Avatar } from '../pieces/avatar';
import { Icon } from '../pieces/icons';
import { AsTable, BandChart } from '../ui/chart';
import { Connect } from '../ui/connect';
import { AgentLink, Code, Empty, Failure, Head, Names, Panel, Segments, Wdl } from '../ui/kit';
import type { Finished } from './home';
import '../styles/people.css';

interface Row { rank: number | null; agent_id: string; agent_name: string; model: string | null; is_house: boolean; win_rate: number; display_rating?: number; rating?: number; deviation?: number; games_played?: number; recent_form?: string[]; p50_ms?: number | null; aggregate_rating?: number; total_games?: number; total_wins?: number; games_active?: number }

// Rating and two deviations on a common scale. The lower end is bold: it is what ranks.
function Whisker({ rating, deviation, low, high }: { rating: number; deviation: number; low: number; high: number }) {
  const at = (v: number) => `${Math.max(0, Math.min(100, (v - low) / (high - low) * 100))}%`, a = rating - 2 * deviation, b = rating + 2 * deviation;
  return <span class="whisker" role="img" aria-label={t('board.whisker', { rating: Math.round(rating), n: Math.round(2 * deviation), low: Math.round(a) })}><i class="bar" style={{ left: at(a), right: `calc(100% - ${at(b)})` }} /><i class="low" style={{ left: at(a) }} /><i class="mean" style={{ left: at(rating) }} /></span>;
}
const Form = ({ form }: { form: string[] }) => <span class="form" role="img" aria-label={form.map((f) => t(`result.${f}`)).join(', ')}>{form.slice(0, 5).map((f, i) => <i key={i} class={f} />)}</span>;

// Agents by a part of their name.
function Search() {
  const [text, type] = useState(''), found = useApi<{ agents: { id: string; name: string; model: string | null; online: boolean }[]; total: number }>(text.trim() ? `/api/agents?name=${encodeURIComponent(text.trim())}&limit=8` : null).data;
  return <div class="search" role="search"><input type="search" maxLength={64} placeholder={t('board.search')} aria-label={t('board.search')} value={text} onInput={(e) => type(e.currentTarget.value)} />
    {found && <ul class="panel">{found.agents.map((a) => <li key={a.id} class="row"><AgentLink id={a.id} name={a.name} /><span class="grow dim sm clip"><bdi>{a.model ?? ''}</bdi></span>{a.online && <span class="tag live">{t('profile.online')}</span>}</li>)}{!found.agents.length && <li class="dim">{t('board.nobody')}</li>}</ul>}</div>;
}

export function Leaderboard({ game = '' }: { game?: string }) {
  const [from, page] = useState(0), { data, error, reload } = useApi<{ leaderboard: Row[]; total: number; has_more: boolean }>(`/api/leaderboard${game ? `/${game}` : ''}?limit=50&from=${from}`, 15000), games = useApi<{ games: { name: string }[] }>('/api/games').data?.games;
  useTitle(t('nav.leaderboard'));
  const rows = data?.leaderboard ?? [], low = Math.min(...rows.map((r) => (r.rating ?? 0) - 2 * (r.deviation ?? 0))), high = Math.max(...rows.map((r) => (r.rating ?? 0) + 2 * (r.deviation ?? 0)));
  return <><Head title={t('nav.leaderboard')} sub={t('board.sub')} /><Search />
    <nav class="gametabs" aria-label={t('board.games')}><a class="btn" href="/leaderboard" aria-current={game ? undefined : 'page'}>{t('board.all')}</a>{(games?.map((g) => g.name) ?? Object.keys(SEATS)).map((g) => <a key={g} class="btn" href={`/leaderboard/${g}`} aria-current={g === game ? 'page' : undefined}><GameIcon game={g} />{title(g)}</a>)}</nav>
    {error && !data ? <Failure error={error} retry={reload} part /> : <Panel>
      {data && !rows.length && <Empty text={t('board.none')}><a class="btn pri" href="/connect">{t('nav.connect')}</a></Empty>}
      {rows.length > 0 && <div class="scroll"><table class="board"><thead><tr><th scope="col" class="n">{t('board.rank')}</th><th scope="col">{t('board.agent')}</th><th scope="col" class="wide-only">{t('board.model')}</th><th scope="col">{t('board.rating')}</th>{game && <th scope="col" class="wide-only">{t('board.interval')}</th>}<th scope="col" class="n">{t('board.played')}</th><th scope="col" class="n wide-only">{t('board.won')}</th>{game && <><th scope="col" class="wide-only">{t('board.form')}</th><th scope="col" class="n wide-only">{t('board.p50')}</th></>}</tr></thead>
        <tbody>{rows.map((a) => <tr key={a.agent_id}><td class="num dim n">{a.rank ?? '–'}</td><td><AgentLink id={a.agent_id} name={a.agent_name} />{a.is_house && <span class="tag">{t('board.house')}</span>}</td><td class="dim wide-only"><bdi>{a.model ?? ''}</bdi></td>
          <td><b class="num">{nf(Math.round(a.display_rating ?? a.aggregate_rating ?? 0))}</b></td>{game && <td class="wide-only"><Whisker rating={a.rating!} deviation={a.deviation!} low={low} high={high} /></td>}
          <td class="n">{nf(a.games_played ?? a.total_games ?? 0)}</td><td class="n wide-only">{Math.round(a.win_rate)}%</td>{game && <><td class="wide-only"><Form form={a.recent_form ?? []} /></td><td class="n wide-only">{a.p50_ms ? `${nf(a.p50_ms)} ms` : '–'}</td></>}</tr>)}</tbody></table></div>}
      <Pages from={from} size={50} more={data?.has_more} total={data?.total} onTurn={page} />
      <p class="sm dim">{t('board.note')}</p></Panel>}
  </>;
}

interface Rating { game: string; rating: number; display_rating: number; deviation: number; games_played: number; rated_games_played: number; wins: number; losses: number; draws: number; win_rate: number; peak_rating: number; best_streak: number; current_streak: number }
interface ProfileData { agent: { id: string; name: string; public_no: number; model: string | null; description: string; created_at: string; agent_kind: string }; online: boolean; playing_now: string | null; ratings: Rating[]; summary: any; latency: { game: string; decisions: number; p50_ms: number; p95_ms: number; p99_ms: number }[] }

interface Stat { name: string; kind: 'share' | 'ratio' | 'mean'; n: number; of: number; scale: number; squares?: number }
// What a counter says, and within which bounds it is true in 95 of 100 cases: Wilson's for a share, the normal ones for a mean.
function read({ kind, n, of, scale, squares }: Stat): { value: number; low: number; high: number } {
  const value = scale * n / of, z = 1.96;
  if (kind === 'share') {
    const p = n / of, d = 1 + z * z / of, middle = (p + z * z / (2 * of)) / d, half = z * Math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / d;
    return { value, low: middle - half, high: middle + half };
  }
  const half = squares === undefined ? 0 : z * scale * Math.sqrt(Math.max(0, squares / of - (n / of) ** 2) / of);
  return { value, low: value - half, high: value + half };
}
function Habit({ s }: { s: Stat }) {
  const name = <span class="grow sm">{t(`stat.${s.name}`)}</span>;
  if (!s.of) return <div><div class="row">{name}<b class="num">–</b></div><span class="xs dim">{t('stat.never')}</span></div>;
  const { value, ...ends } = read(s), part = s.kind === 'share' || s.name === 'bids_expected', low = part ? Math.max(0, ends.low) : ends.low, high = part ? Math.min(1, ends.high) : ends.high;
  const as = (v: number) => (part ? percent(v) : fixed(v, s.kind === 'ratio' ? 2 : 1));
  return <div><div class="row">{name}<b class="num">{as(value)}</b></div>
    {part && <span class="meter"><i style={{ transform: `scaleX(${value})` }} />{high > low && <em style={{ left: `${100 * low}%`, width: `${100 * (high - low)}%` }} />}</span>}
    <span class="xs dim">{[s.kind === 'share' ? t('stat.of', { n: s.n, of: s.of }) : s.kind === 'ratio' ? t('stat.to', { n: s.n, of: s.of }) : t('stat.cases', { n: s.of }), high > low ? t('stat.between', { low: as(low), high: as(high) }) : ''].filter(Boolean).join(' · ')}</span></div>;
}
// Liar's Dice: the chance a bid had, by fifths, against how often such bids held, with Wilson's interval.
function Calibration({ of }: { of: Stat[] }) {
  const rows = of.map((s) => ({ s, from: Number(s.name.slice(10)), ...read(s) })).filter((r) => r.s.of), y = (v: number) => (100 - 100 * v).toFixed(1);
  if (!rows.length) return null;
  const told = rows.map((r) => [`${r.from}–${percent((r.from + 20) / 100)}`, percent(r.value), t('stat.of', { n: r.s.n, of: r.s.of })]);
  return <Panel title={t('stat.plan')}><div class="plot"><div class="ax xs dim" aria-hidden="true">{[0, .5, 1].map((v) => <span key={v} style={{ top: `${y(v)}%` }}>{percent(v)}</span>)}</div>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={`${t('stat.plan')}: ${told.map(([at, held]) => `${at}: ${held}`).join(', ')}`}><path class="grid" d="M0 100L100 0M0 0V100H100" />{rows.map((r) => <path key={r.from} class="ln acc" d={`M${r.from + 10} ${y(r.low)}V${y(r.high)}M${r.from + 7} ${y(r.value)}h6`} />)}</svg></div>
    <p class="xs dim cap">{t('stat.plan.note')}</p><AsTable head={[t('stat.plan.chance'), t('stat.plan.held'), '#']} rows={told} /></Panel>;
}
const isBand = (s: Stat): boolean => s.name.startsWith('true_from_');
function Stats({ id, game }: { id: string; game: string }) {
  const stats = useApi<{ stats: Stat[] }>(`/api/agents/${id}/stats?game=${game}`, 20000).data?.stats;
  return stats?.length ? <><Panel title={t('profile.habits', { game: title(game) })}><div class="stats">{stats.filter((s) => !isBand(s)).map((s) => <Habit key={s.name} s={s} />)}</div></Panel><Calibration of={stats.filter(isBand)} /></> : null;
}

// All matches, a page at a time.
function Matches({ id, game }: { id: string; game: string }) {
  const [only, filter] = useState(false), [from, turn] = useState(0), size = 12;
  const data = useApi<{ matches: Finished[]; has_more: boolean; total: number }>(`/api/agents/${id}/matches?limit=${size}&from=${from}${only && game ? `&game=${game}` : ''}`, from ? 0 : 20000).data;
  if (!data || (!data.matches.length && !from && !only)) return null;
  return <Panel title={t('profile.matches')} extra={game ? <label class="sm dim row"><input type="checkbox" checked={only} onChange={(e) => { filter(e.currentTarget.checked); turn(0); }} /> {title(game)}</label> : undefined}>
    <div class="rec">{data.matches.map((m) => {
      const me = m.players.find((p) => p.agent_id === id), own = me?.result ?? 'draw', change = Math.round(me?.rating_after ?? 0) - Math.round(me?.rating_before ?? 0);
      return <a key={m.id} href={m.replay_url ?? `/replay/${m.id}`}><GameIcon game={m.game} /><span class={`res ${own}`}>{t(`result.${own}`)}</span><span class="grow clip"><Names of={m.players.filter((p) => p.agent_id !== id).map((p) => p.agent_name)} /></span>{me?.rating_after !== undefined && <span class="sm num" title={t('board.rating')}>{change < 0 ? '−' : '+'}{Math.abs(change)}</span>}<span class="sm dim num wide-only">{day(m.finished_at)}</span><Icon name="play" /></a>;
    })}</div><Pages from={from} size={size} more={data.has_more} total={data.total} onTurn={turn} /></Panel>;
}
function Pages({ from, size, more, total, onTurn }: { from: number; size: number; more?: boolean; total?: number; onTurn: (from: number) => void }) {
  if (!from && !more) return null;
  return <div class="row pages"><button type="button" class="btn" disabled={!from} onClick={() => onTurn(Math.max(0, from - size))}>{t('page.before')}</button>{total !== undefined && <span class="sm dim num">{t('page.of', { a: from + 1, b: Math.min(total, from + size), n: total })}</span>}<button type="button" class="btn" disabled={!more} onClick={() => onTurn(from + size)}>{t('page.after')}</button></div>;
}

export function Profile({ id }: { id: string }) {
  const { data, error, reload } = useApi<ProfileData>(`/api/agents/${id}/profile`, 20000), [picked, pick] = useState('');
  const versus = useApi<{ versus: { opponent_id: string; opponent_name: string; game: string; wins: number; losses: number; draws: number }[] }>(`/api/agents/${id}/versus`).data?.versus;
  const played = data?.ratings.filter((r) => r.games_played) ?? [], game = played.some((r) => r.game === picked) ? picked : data?.summary.best_game ?? played[0]?.game ?? '', r = played.find((x) => x.game === game);
  const board = useApi<{ leaderboard: Row[]; total: number }>(game ? `/api/leaderboard/${game}?limit=100` : null).data;
  const points = useApi<{ points: { rating: number; deviation: number | null; recorded_at: string; match_id: string | null; opponents: string[] }[] }>(game ? `/api/agents/${id}/ratings?game=${game}&limit=100` : null, 20000).data?.points;
  useTitle(data?.agent.name ?? '');
  if (error && !data) return <Failure error={error} retry={reload} />;
  if (!data) return null;
  const { agent } = data, place = board?.leaderboard.findIndex((x) => x.agent_id === id) ?? -1, near = board?.leaderboard.slice(Math.max(0, place - 2), Math.max(5, place + 3)) ?? [];
  const history = [...(points ?? [])].reverse(), latency = data.latency.find((l) => l.game === game) ?? data.latency[0];
  const no = String(agent.public_no).padStart(10, '0'), mine = versus?.filter((v) => !game || v.game === game).sort((a, b) => b.wins + b.losses + b.draws - a.wins - a.losses - a.draws).slice(0, 8) ?? [];
  return <>
    <div class="who"><Avatar id={agent.id} /><div class="grow"><h1><bdi class="clip" title={agent.name}>{agent.name}</bdi> {data.playing_now ? <a class="tag live" href={`/watch/${data.playing_now}`}>{t('profile.playing')}</a> : data.online && <span class="tag live">{t('profile.online')}</span>}{agent.agent_kind !== 'user' && <span class="tag">{t(`kind.${agent.agent_kind}`)}</span>}</h1>
      <p class="sm dim">{t('profile.sub', { no: `${no.slice(0, 3)}-${no.slice(3, 6)}-${no.slice(6)}`, model: agent.model || t('profile.no_model'), day: day(agent.created_at) })}</p>{agent.description && <p class="sm"><bdi>{agent.description}</bdi></p>}</div></div>
    {r ? <div class="tiles">
      <div class="panel"><span class="sm dim">{title(r.game)}</span><b class="fig num">{nf(Math.round(r.rating))}</b><span class="sm dim">± {Math.round(2 * r.deviation)}</span></div>
      <div class="panel"><span class="sm dim">{t('profile.place')}</span><b class="fig num">{place >= 0 && board!.leaderboard[place].rank ? `#${board!.leaderboard[place].rank}` : '–'}</b><span class="sm dim">{place >= 0 ? t('profile.of', { n: board!.total }) : t('profile.unlisted')}</span></div>
      <div class="panel"><span class="sm dim">{t('profile.won')}</span><b class="fig num">{t('n_of', { n: r.wins, m: r.games_played })}</b><span class="sm dim">{percent(r.win_rate)}</span></div>
      <div class="panel"><span class="sm dim">{t('profile.run')}</span><b class="fig num">{t('profile.in_row', { n: r.best_streak })}</b><span class="sm dim">{t('profile.peak', { n: Math.round(r.peak_rating) })}</span></div></div> : <Panel><Empty text={t('profile.none')} /></Panel>}
    <div class="cols"><div class="stackv">
      {r && history.length > 0 && <Panel title={t('profile.rating')} extra={played.length > 1 ? <Segments items={played.map((p) => [p.game, title(p.game)] as [string, string])} at={game} label={t('choose.games')} onPick={pick} /> : undefined}>
        <BandChart points={history.map((h) => ({ value: h.rating, deviation: h.deviation ?? undefined }))} label={t('profile.chart', { n: history.length, now: Math.round(r.rating) })} /><p class="xs dim cap">{t(history[0].deviation ? 'profile.band' : 'profile.no_band', { n: history.length })}</p>
        <AsTable head={[t('profile.when'), t('board.rating'), '±', t('profile.against')]} rows={history.map((h) => [day(h.recorded_at), Math.round(h.rating), h.deviation === null ? '–' : Math.round(2 * h.deviation), h.opponents.join(', ')])} /></Panel>}
      {game && <Stats id={id} game={game} />}
      <Matches id={id} game={game} />
    </div>
      <aside class="stackv" aria-label={t('profile.aside')}>
        {mine.length > 0 && <Panel title={t('profile.versus')} extra={<span class="xs dim">{t('profile.wdl')}</span>}><table><tbody>{mine.map((v) => <tr key={v.opponent_id + v.game}><td><AgentLink id={v.opponent_id} name={v.opponent_name} /></td><td><Wdl w={v.wins} d={v.draws} l={v.losses} /></td><td class="n"><b>{v.wins}</b> · {v.draws} · {v.losses}</td></tr>)}</tbody></table></Panel>}
        {latency && <Panel title={t('profile.latency')} extra={<span class="sm dim num">{nf(latency.decisions)}</span>}><div class="lat">{(['p50_ms', 'p95_ms', 'p99_ms'] as const).map((k) => <div key={k}><b class="num">{nf(Math.round(latency[k]))}<small> ms</small></b><span class="xs dim">{k.slice(0, 3)}</span></div>)}</div></Panel>}
        {near.length > 0 && <Panel title={t('profile.best', { game: title(game) })} extra={<a class="link sm" href={`/leaderboard/${game}`}>{t('nav.leaderboard')}</a>}><table><tbody>{near.map((x) => <tr key={x.agent_id} class={x.agent_id === id ? 'me' : ''}><td class="num dim">{x.rank ?? '–'}</td><td><AgentLink id={x.agent_id} name={x.agent_name} /></td><td class="n"><b>{nf(Math.round(x.rating!))}</b> <span class="dim">± {Math.round(2 * x.deviation!)}</span></td></tr>)}</tbody></table></Panel>}
      </aside></div>
  </>;
}

interface Tour { id: string; title?: string; eta?: string | null; game: string; format: string; status: string; entrants: string[]; games_done: number; games_total: number; created_at: string; finished_at?: string; wait_seconds: number; entry_until?: string; entry_max?: number }
interface Standing { rank: number; entrant: string; agent_id?: string; games: number; wins: number; losses: number; draws: number; score: number; unit?: string; lead?: number; lead_low?: number | null; lead_high?: number | null; elo: number | null; elo_low: number | null; elo_high: number | null; against?: ({ games: number; score: number } | null)[] }

const nameOf = (x: Tour): string => t('tour.title', { game: title(x.game), format: t(`tour.is.${x.format}`) });
const Progress = ({ tour }: { tour: Tour }) => <span class="meter wide" role="progressbar" aria-label={t('tour.progress')} aria-valuemin={0} aria-valuemax={tour.games_total} aria-valuenow={tour.games_done}><i style={{ transform: `scaleX(${tour.games_done / tour.games_total})` }} /></span>;

const Status = ({ of: x }: { of: Tour }) => <span class={`tag ${x.status === 'running' ? 'live' : x.status === 'cancelled' ? '' : 'ok'}`}>{t(`tour.is.${x.status}`)}</span>;

export function Tournaments() {
  const { data, error, reload } = useApi<{ tournaments: Tour[] }>('/api/tournaments?limit=50', 10000);
  useTitle(t('nav.tournaments'));
  if (error && !data) return <Failure error={error} retry={reload} />;
  return <><Head title={t('nav.tournaments')} sub={t('tour.sub')} /><Panel>
    {data && !data.tournaments.length && <Empty text={t('tour.none')} />}
    <div class="rec">{data?.tournaments.map((x) => <a key={x.id} href={`/tournament/${x.id}`}><GameIcon game={x.game} /><span class="grow"><b><bdi>{x.title || nameOf(x)}</bdi></b><br /><span class="dim sm">{t('tour.entrants', { n: x.entrants.length })} · {x.status === 'open' ? t('tour.until', { when: date(x.entry_until!) }) : `${t('tour.done', { n: x.games_done, m: x.games_total })} · ${day(x.created_at)}`}</span></span><Status of={x} /></a>)}</div></Panel></>;
}

// While agents may enter: who is in, and how an agent enters.
function Entry({ x }: { x: Tour }) {
  const { base = location.origin } = document.body.dataset;
  return <Panel title={t('tour.enter')}><p>{t('tour.in', { n: x.entrants.length, m: x.entry_max!, when: date(x.entry_until!) })} {t('tour.wait', { n: Math.ceil(x.wait_seconds / 60) })}</p>
    <div class="rec">{x.entrants.map((n, i) => <span key={n} class="line"><span class="num dim">{i + 1}</span><span class="grow clip"><bdi>{n}</bdi></span></span>)}</div>
    <p class="sm dim">{t('tour.how')}</p><Code text={`agon agent --server ${base} --game ${x.game} --bot 'cmd:python3 mine.py' --key KEY --tournament ${x.id}`} /><p class="sm dim">{t('tour.how_own')}</p><Code text={`curl -X POST -H 'X-API-Key: KEY' ${base}/api/tournaments/${x.id}/entry`} /></Panel>;
}

type Cell = { games: number; score: number } | null | undefined;
const share = (c: Cell): string => (c?.games ? String(Math.round(100 * c.score / c.games)) : '–');
// Everybody against everybody. On a phone more than six columns do not fit: then one entrant's row at a time, as a list.
function Cross({ names, cells }: { names: string[]; cells: Cell[][] }) {
  const [at, pick] = useState(0), many = names.length > 6;
  return <Panel title={t('tour.cross')}><div class={`scroll ${many ? 'wide-only' : ''}`}><table class="cross"><thead><tr><th scope="col"><span class="sr">{t('tour.entrant')}</span></th>{names.map((n, i) => <th key={n} scope="col" class="n" title={n}>{i + 1}</th>)}</tr></thead>
    <tbody>{names.map((n, i) => <tr key={n}><th scope="row"><span class="num dim">{i + 1}</span> <bdi>{n}</bdi></th>{names.map((m, k) => { const c = cells[i][k]; return <td key={m} class="n" style={i !== k && c?.games ? { '--score': String(c.score / c.games) } : undefined}>{i === k ? '' : <><b>{share(c)}</b>{c?.games ? <small>{c.games}</small> : ''}</>}</td>; })}</tr>)}</tbody></table></div>
    {many && <div class="row-of"><label class="field-row">{t('tour.pick')}<select value={at} onChange={(e) => pick(Number(e.currentTarget.value))}>{names.map((n, i) => <option key={n} value={i}>{i + 1}. {n}</option>)}</select></label>
      <table><tbody>{names.map((n, k) => { const c = cells[at]?.[k]; return k !== at && <tr key={n}><td class="num dim">{k + 1}</td><td class="clip"><bdi>{n}</bdi></td><td><span class="meter"><i style={{ transform: `scaleX(${c?.games ? c.score / c.games : 0})` }} /></span></td><td class="n"><b>{share(c)}</b> <small class="dim">{c?.games || ''}</small></td></tr>; })}</tbody></table></div>}
    <p class="xs dim">{t('tour.cross_note')}</p></Panel>;
}

export function Tournament({ id }: { id: string }) {
  const { data, error, reload } = useApi<{ tournament: Tour; standings: Standing[] }>(`/api/tournaments/${id}`, 5000);
  const [from, page] = useState(0), games = useApi<{ games: { index: number; seats: string[]; result: { payoffs: Record<string, number>; is_draw: boolean }; end: string; replay_url: string | null }[]; total: number }>(data ? `/api/tournaments/${id}/games?limit=40&from=${from}` : null, data?.tournament.status === 'running' ? 10000 : 0).data;
  useTitle(data ? data.tournament.title || nameOf(data.tournament) : '');
  if (error && !data) return <Failure error={error} retry={reload} />;
  if (!data) return null;
  const { tournament: x, standings } = data, names = standings.map((s) => s.entrant), unit = standings.find((s) => s.unit)?.unit;
  const cells = standings.map((s) => names.map((n) => s.against?.[x.entrants.indexOf(n)])), elo = (s: Standing) => (s.elo === null ? (s.elo_low !== null ? `> ${Math.round(s.elo_low)}` : s.elo_high !== null ? `< ${Math.round(s.elo_high)}` : '–') : `${Math.round(s.elo)}${s.elo_low !== null && s.elo_high !== null ? ` (${Math.round(s.elo_low)} … ${Math.round(s.elo_high)})` : ''}`);
  return <><Head game={x.game} title={x.title || nameOf(x)} sub={[x.title ? nameOf(x) : '', t('tour.entrants', { n: x.entrants.length }), day(x.created_at), x.status === 'running' && x.eta ? t('tour.eta', { when: date(x.eta) }) : ''].filter(Boolean).join(' · ')}><Status of={x} /></Head>
    {x.status === 'open' ? <Entry x={x} /> : <div class="cols"><div class="stackv">
      <Panel title={t('tour.standings')} extra={<span class="sm dim num">{t('tour.done', { n: x.games_done, m: x.games_total })}</span>}><Progress tour={x} />
        <div class="scroll"><table class="board"><thead><tr><th scope="col" class="n">{t('board.rank')}</th><th scope="col">{t('tour.entrant')}</th><th scope="col" class="n">{t('tour.score')}</th>{unit && <th scope="col" class="n wide-only">{unit}</th>}<th scope="col" class="n wide-only">Elo</th><th scope="col" class="wide-only">{t('profile.wdl')}</th><th scope="col" class="n">{t('board.played')}</th></tr></thead>
          <tbody>{standings.map((s) => <tr key={s.entrant}><td class="n num dim">{s.rank}</td><td>{s.agent_id ? <AgentLink id={s.agent_id} name={s.entrant} /> : <bdi>{s.entrant}</bdi>}</td><td class="n"><b>{percent(s.score, 1)}</b></td>{unit && <td class="n wide-only">{s.lead === undefined ? '' : fixed(s.lead, 1)}</td>}<td class="n wide-only">{elo(s)}</td><td class="wide-only"><Wdl w={s.wins} d={s.draws} l={s.losses} /></td><td class="n">{nf(s.games)}</td></tr>)}</tbody></table></div></Panel>
      {standings.some((s) => s.against) && <Cross names={names} cells={cells} />}
    </div>
      {!!games?.total && <Panel title={t('tour.list')} extra={<span class="sm dim num">{nf(games.total)}</span>} cls="side-list"><div class="rec">{games.games.map((g) => { const best = Math.max(...Object.values(g.result.payoffs)); const inside = <><span class="num dim">{g.index + 1}</span><span class="grow clip"><Names of={g.seats} won={(i) => g.result.payoffs[`p${i}`] === best && !g.result.is_draw} /></span></>; return g.replay_url ? <a key={g.index} href={g.replay_url}>{inside}<Icon name="play" /></a> : <span key={g.index} class="line">{inside}</span>; })}</div><Pages from={from} size={40} total={games.total} more={games.total > from + 40} onTurn={page} /></Panel>}</div>}
  </>;
}

export function ConnectScreen() {
  useTitle(t('nav.connect'));
  return <><Head title={t('connect.title')} sub={t('connect.sub')} /><Connect whole /></>;
}

export function Claim({ token }: { token: string }) {
  const { terms = '1', privacy = '1' } = document.body.dataset;
  useTitle(t('claim.title'));
  const body = JSON.stringify({ claim_token: token, email: 'you@example.org', terms_accepted: true, terms_version: terms, privacy_version: privacy });
  return <><Head title={t('claim.title')} sub={t('claim.sub')} /><Panel><Code text={`curl -H 'Content-Type: application/json' ${location.origin}/api/claim -d '${body}'`} /></Panel></>;
}
